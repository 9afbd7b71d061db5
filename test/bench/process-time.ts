import { readFileSync } from 'node:fs'

/** Milliseconds on one clock tick of /proc, on every Linux that Node runs on. */
const tickMs = 10

/** Milliseconds of processor time that a process has used so far, its threads included and its children not. */
export function processorMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}
