import { totalmem } from 'node:os'

/**
 * Memory to plan per live browser in bytes. Measured with one light page: 90 MB (shell) and 197 MB
 * (Chromium).
 */
const plannedBytes = { shell: 200e6, chromium: 400e6 } as const

/** Memory reserved for the server itself and its warm pool. */
const reservedBytes = 600e6

/** Number of sessions that fit into memory, at least 1. Respects a container's memory limit. */
export function sessionsThatFit(
  kind: keyof typeof plannedBytes,
  memoryBytes: number = Math.min(process.constrainedMemory() || Infinity, totalmem()),
): number {
  return Math.max(1, Math.floor((memoryBytes - reservedBytes) / plannedBytes[kind]))
}
