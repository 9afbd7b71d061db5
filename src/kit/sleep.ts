import { setTimeout } from 'node:timers/promises'

/** Waits for `ms` milliseconds. Rejects with the reason of the signal when it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<undefined> {
  try {
    return await setTimeout(ms, undefined, { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
