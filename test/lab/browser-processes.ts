import { readdirSync, readFileSync } from 'node:fs'

/** Pids of the main processes of browsers whose command line contains `directory`. */
export function browserPids(directory: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => isBrowserIn(pid, directory) && !isBrowserIn(parentOf(pid), directory))
}

function isBrowserIn(pid: number, directory: string): boolean {
  const words = commandLine(pid)
  return words.some((word) => word.includes(directory)) && isBrowser(words)
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

/** Pids of all processes whose command line contains `directory`. */
export function processesNaming(directory: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => pid !== process.pid && commandLine(pid).some((word) => word.includes(directory)))
}

/**
 * Pids of the processes that this one has started whose command line contains a text. Others can
 * belong to test files that run at the same time.
 */
export function childrenNaming(text: string): readonly number[] {
  return processesNaming(text).filter((pid) => parentOf(pid) === process.pid)
}

/** Pids of all other processes whose environment contains a text. */
export function processesWithEnvironment(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).includes(text))
}

/** Pids of the processes that a process has started. */
export function childPids(parent: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => parentOf(pid) === parent)
}

/** Pids of the renderers of browsers whose command line contains `directory`. */
export function rendererPids(directory: string): readonly number[] {
  const browsers = new Set(browserPids(directory))
  const isBelow = (pid: number): boolean => pid > 1 && (browsers.has(pid) || isBelow(parentOf(pid)))
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .filter((pid) => commandLine(pid).some((word) => word.includes('--type=renderer')) && isBelow(pid))
}

function isBrowser(words: readonly string[]): boolean {
  return words.some((word) => word.startsWith('--user-data-dir='))
}

/** The words of the command line of a process. */
export function commandLine(pid: number): readonly string[] {
  return read(`/proc/${pid}/cmdline`).split('\0')
}

/** Reads a file. Returns an empty text if its process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
