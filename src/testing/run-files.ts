import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionReport } from './test-session.ts'

/** Appends the report of a session for the reporter, which runs in another process. */
export function writeSessionReport(outputDir: string, report: SessionReport): void {
  mkdirSync(folderOf(outputDir), { recursive: true })
  appendFileSync(billsPathOf(outputDir), `${JSON.stringify(report)}\n`)
}

// Playwright Test empties the output directory before each run, so all reports belong to one run.
function folderOf(outputDir: string): string {
  return join(outputDir, '.bowline')
}

function billsPathOf(outputDir: string): string {
  return join(folderOf(outputDir), 'bills.jsonl')
}

/** Returns the reports of the sessions of a run. */
export function readSessionReports(outputDir: string): readonly SessionReport[] {
  return readOptional(billsPathOf(outputDir))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SessionReport)
}

/** Cause of a failed attempt. */
export type FailureCause = 'test' | 'infrastructure'

/** Returns the causes of the failed attempts on a test, in order. */
export function readFailureCauses(outputDir: string, testId: string): readonly FailureCause[] {
  return JSON.parse(readOptional(join(folderOf(outputDir), `${testId}.json`)) || '[]') as readonly FailureCause[]
}

/** Stores the cause of a failed attempt for the next one, which runs in another process. */
export function addFailureCause(outputDir: string, testId: string, cause: FailureCause): void {
  const causes = [...readFailureCauses(outputDir, testId), cause]
  mkdirSync(folderOf(outputDir), { recursive: true })
  writeFileSync(join(folderOf(outputDir), `${testId}.json`), JSON.stringify(causes))
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // No record yet.
    return ''
  }
}
