import { totalmem } from 'node:os'

/** Memory to plan for one live browser in bytes: measured 90 MB (shell) and 197 MB (Chromium) with one light page. */
const plannedBytes = { shell: 200e6, chromium: 400e6 } as const

/** Memory left to the server itself and its warm pool. */
const reservedBytes = 600e6

/** Sessions that the memory allows at once: at least 1. Container limits count when they are below the machine's memory. */
export function sessionsThatFit(
  kind: keyof typeof plannedBytes,
  memoryBytes: number = Math.min(process.constrainedMemory() || Infinity, totalmem()),
): number {
  return Math.max(1, Math.floor((memoryBytes - reservedBytes) / plannedBytes[kind]))
}
