import { setInterval as every } from 'node:timers/promises'
import { memoryOf } from './process-memory.ts'

/** Samples the memory of a process every 20 ms. `stop` returns the peak in megabytes. */
export function watchMemory(pid: number): { readonly stop: () => Promise<number> } {
  const done = new AbortController()
  let peak = 0
  const watching = (async () => {
    try {
      for await (const _ of every(20, undefined, { signal: done.signal })) peak = Math.max(peak, memoryOf([pid]).rss)
    } catch (error) {
      if (!done.signal.aborted) throw error
    }
  })()
  return {
    stop: async () => {
      done.abort()
      await watching
      return peak
    },
  }
}
