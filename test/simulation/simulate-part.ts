import { createHash } from 'node:crypto'
import { createRandom } from '../lab/random.ts'
import { openLifetimes } from './lifetimes.ts'
import type { OpenPart } from './part.ts'
import { openServers } from './servers/servers.ts'
import { VirtualTime } from './virtual-time.ts'
import { openWaiting } from './waiting.ts'

const parts: Readonly<Record<string, OpenPart>> = {
  lifetimes: openLifetimes,
  waiting: openWaiting,
  servers: openServers,
}

/**
 * Simulates random schedules of a part. Returns lines about them. A schedule that breaks a law ends
 * the simulation, with the command that repeats it, and sets the exit code.
 */
export async function simulatePart(
  name: string,
  { schedules, seed }: { readonly schedules: number; readonly seed: number },
): Promise<readonly string[]> {
  const now = performance.now.bind(performance)
  const startedMs = now()
  const time = new VirtualTime()
  // Opened with real timers.
  const part = await parts[name]!(time)
  const openedMs = now()
  time.install()
  const counts: Record<string, number> = {}
  let done = 0
  for (let ownSeed = seed; done < schedules; ownSeed += 1) {
    try {
      const happened = await part.run(createRandom(hash(`${name} ${ownSeed}`)))
      for (const [event, count] of Object.entries(happened)) counts[event] = (counts[event] ?? 0) + count
    } catch (error) {
      process.exitCode = 1
      const command = `npm run simulate -- --part ${name} --seed ${ownSeed} --schedules 1`
      return [`BROKEN in ${name}: ${error instanceof Error ? error.stack : String(error)}`, `Repeat with: ${command}`]
    }
    time.clear()
    done += part.schedulesPerRun
  }
  const seconds = (now() - openedMs) / 1000
  const openSeconds = (openedMs - startedMs) / 1000
  return [
    `${name}: ${done} schedules`,
    `  ${Object.entries(counts)
      .map(([event, count]) => `${event} ${count}`)
      .join(', ')}`,
    `  ${seconds.toFixed(1)} s, after ${openSeconds.toFixed(1)} s to open`,
  ]
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE()
}
