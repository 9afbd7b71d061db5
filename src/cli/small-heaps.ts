import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the heaps of this process and of its threads near what they hold. Left alone V8 lets garbage lie while there is
 * memory: under load the young generation of each thread grows to 100 MB, and old garbage to more than what is in use.
 * A page of a batch takes about as much processor time.
 */
export const keepHeapsSmall = (): void => {
  for (const flag of flags) setFlagsFromString(flag)
}

const flags = [
  // The young generation stays as large as it is now.
  '--semi-space-growth-factor=1',
  // Old garbage is collected when it comes to so many hundredths of the rest.
  '--heap-growing-percent=30',
]
