import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionRecord } from './test-session.ts'

// In the folder that Playwright Test empties before each run, so that all are of one run.
function folderOf(outputDir: string): string {
  return join(outputDir, '.bowline')
}
function billsOf(outputDir: string): string {
  return join(folderOf(outputDir), 'bills.jsonl')
}

/** Leaves a bill for the reporter, which runs in another process. */
export function writeRecord(outputDir: string, record: SessionRecord): void {
  mkdirSync(folderOf(outputDir), { recursive: true })
  appendFileSync(billsOf(outputDir), `${JSON.stringify(record)}\n`)
}

/** Reads the bills of a run. */
export function readRecords(outputDir: string): readonly SessionRecord[] {
  return readOptional(billsOf(outputDir))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SessionRecord)
}

/** What the attempts on a test failed with, in their order. */
export type Verdict = 'test' | 'infrastructure'

/** Reads what the earlier attempts on a test failed with. */
export function readVerdicts(outputDir: string, testId: string): readonly Verdict[] {
  return JSON.parse(readOptional(join(folderOf(outputDir), `${testId}.json`)) || '[]') as readonly Verdict[]
}

/** Keeps what an attempt on a test failed with for the next one, which runs in another process. */
export function addVerdict(outputDir: string, testId: string, verdict: Verdict): void {
  const verdicts = [...readVerdicts(outputDir, testId), verdict]
  mkdirSync(folderOf(outputDir), { recursive: true })
  writeFileSync(join(folderOf(outputDir), `${testId}.json`), JSON.stringify(verdicts))
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
