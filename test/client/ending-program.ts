/** Program that opens a session for each ending in its first argument. Started by tests. @module */
import { readFileSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Bowline } from '../../src/index.ts'

const [endingNames = '', sessionDir, reaper, profileName] = process.argv.slice(2)
// Synchronous, because some endings leave no time for asynchronous output.
function print(line: string): void {
  return void writeSync(1, `${line}\n`)
}

function childPid(): string {
  return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim()
}

const endings: Record<string, (signal: AbortSignal) => unknown> = {
  return: () => 'done',
  throw: () => {
    throw new Error('the work failed')
  },
  timeout: (signal) => delay(60_000, undefined, { signal }),
  abort: (signal) => {
    caller.abort(new Error('no longer needed'))
    return delay(60_000, undefined, { signal })
  },
  wait: () => delay(60_000),
  listener: (signal) => {
    process.on('SIGINT', () => print('own listener'))
    return delay(60_000, undefined, { signal })
  },
  exit: () => process.exit(3),
  uncaught: () => {
    setTimeout(() => {
      throw new Error('uncaught exception')
    }, 1)
    return delay(60_000)
  },
  rejection: () => {
    void Promise.reject(new Error('unhandled rejection'))
    return delay(60_000)
  },
  twice: async () => {
    const reaper = childPid()
    print(`reaper ${reaper}`)
    while (childPid() === reaper) await delay(20)
    await bowline.sessions.create()
    print('again')
    await delay(60_000)
  },
  // Without timers or sockets the event loop empties, and Node.js exits with code 13.
  stuck: () => new Promise(() => undefined),
}

// A session with a profile takes longer to open.
const timeoutMs = profileName === undefined ? 200 : 3000
let caller: AbortController
const bowline = new Bowline({ sessionDir, reaper: reaper !== 'no-reaper' })
for (const ending of endingNames.split(',')) {
  caller = new AbortController()
  try {
    const outcome = await bowline.withSession(
      {
        signal: caller.signal,
        ...(profileName !== undefined && { profile: { name: profileName, saveChanges: 'on-success' } }),
        timeoutMs: ending === 'timeout' ? timeoutMs : undefined,
        onEnd: (bill) => print(`bill ${JSON.stringify(bill)}`),
      },
      ({ session, signal }) => {
        print(`open ${session.id}`)
        return endings[ending]?.(signal)
      },
    )
    print(`resolved ${String(outcome.result)}`)
  } catch (error) {
    print(`rejected ${String(error)}`)
    if (ending === 'wait') throw error
  }
}
