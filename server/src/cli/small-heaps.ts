import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heaps of this process and of its threads near what they hold. Left alone V8 lets garbage lie while there is
 * memory: under load the young generation of each thread grows to 100 MB, and old garbage to more than what is in use.
 * Pages take no more processor time so.
 */
export function keepHeapsSmall(): void {
  for (const flag of flags) setFlagsFromString(flag)
}

const flags = [
  // Megabytes of each half of the young generation of a thread: with the usual one, pages outlive their collection.
  '--min-semi-space-size=4',
  // It stays as large as it is now.
  '--semi-space-growth-factor=1',
  // Old garbage is collected when it comes to so many hundredths of the rest.
  '--heap-growing-percent=100',
]
