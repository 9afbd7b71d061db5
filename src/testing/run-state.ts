import {
  accessSync,
  appendFileSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionReport } from './test-session.ts'

/** Cause of a failed attempt. */
export type FailureCause = 'test' | 'infrastructure'

/**
 * Files that the workers and the reporter of a run of Playwright Test share. They are outside the
 * output directory, which another run in the same folder empties when it starts.
 */
export class RunState {
  readonly #parent: string
  readonly #folder: string

  /** `runnerPid` is the process that runs the reporter and starts the workers. */
  constructor(runnerPid: number, parent = defaultParent()) {
    this.#parent = parent
    this.#folder = join(parent, `${hostname()}-${runnerPid}`)
  }

  /** Deletes the files of this run, and those of ended runs of this machine. */
  remove(): void {
    for (const name of readNames(this.#parent)) {
      const path = join(this.#parent, name)
      if (path === this.#folder || isLeftBehind(name)) rmSync(path, { recursive: true, force: true })
    }
  }

  /** Stores the report of a session for the reporter. */
  writeSessionReport(report: SessionReport): void {
    appendFileSync(this.#pathOf('bills.jsonl'), `${JSON.stringify(report)}\n`)
  }

  /** Returns the reports of the sessions of the run. */
  readSessionReports(): readonly SessionReport[] {
    return readOptional(join(this.#folder, 'bills.jsonl'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SessionReport)
  }

  /** Returns the causes of the failed attempts on a test, in order. */
  readFailureCauses(testId: string): readonly FailureCause[] {
    return JSON.parse(readOptional(join(this.#folder, `${testId}.json`)) || '[]') as readonly FailureCause[]
  }

  /** Stores the cause of a failed attempt for the next one, which runs in another process. */
  addFailureCause(testId: string, cause: FailureCause): void {
    const causes = [...this.readFailureCauses(testId), cause]
    writeFileSync(this.#pathOf(`${testId}.json`), JSON.stringify(causes))
  }

  /** Forgets the attempts on a test, before its first one. */
  clearFailureCauses(testId: string): void {
    rmSync(join(this.#folder, `${testId}.json`), { force: true })
  }

  /** Whether this is the first call with this topic in the run. */
  claim(topic: string): boolean {
    try {
      writeFileSync(this.#pathOf(`${topic}.claimed`), '', { flag: 'wx' })
      return true
    } catch {
      // Another worker, or this one, has claimed it.
      return false
    }
  }

  /** Prints a warning once per run. */
  warnOnce(topic: string, text: string): void {
    if (this.claim(topic)) console.warn(`Bowline: ${text}`)
  }

  #pathOf(name: string): string {
    // Links to recordings contain secrets.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    return join(this.#folder, name)
  }
}

function defaultParent(): string {
  try {
    accessSync(homedir(), constants.W_OK)
    return join(homedir(), '.bowline', 'test-runs')
  } catch {
    // Containers may have a user without a home.
    return join(tmpdir(), '.bowline-test-runs')
  }
}

/** Whether the runner of a folder is a process of this machine that has ended. */
function isLeftBehind(name: string): boolean {
  const prefix = `${hostname()}-`
  if (!name.startsWith(prefix)) return false
  try {
    process.kill(Number(name.slice(prefix.length)), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No run yet.
    return []
  }
}

function readOptional(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // No record yet.
    return ''
  }
}
