import { readFileSync } from 'node:fs'

/** Ids of the running processes that the main thread of a process has started. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

/** Ids of a server and of its processes that process HTML. */
export function withHtmlProcesses(serverPid: number): readonly number[] {
  return [serverPid, ...childrenOf(serverPid).filter((pid) => commandLineOf(pid).includes('html-process'))]
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
