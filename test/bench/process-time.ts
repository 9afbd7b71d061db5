import { readFileSync } from 'node:fs'
import { childrenOf } from './process-tree.ts'

/** Milliseconds on one clock tick of /proc, on every Linux that Node runs on. */
const tickMs = 10

/** CPU time in milliseconds of a process with its threads, without its children. */
export function processorMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** CPU time in milliseconds of a process and of those that it has started and that run. */
export function processorMsOfTree(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + processorMsOfTree(child), processorMsOf(pid))
}
