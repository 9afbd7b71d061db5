import { createFreshSignalTest } from '../kit/fresh-signals.ts'
import type { DeletionTicket, ReaperResult } from './ticket.ts'
import { createReaperProcess, deleteAtExit, type ReaperProcess } from './reaper-process.ts'

/** Something that must not outlive this process. */
export interface Guarded {
  /**
   * Ends it, on SIGINT, SIGTERM or SIGHUP. `livesOn` resolves if the process outlives the signal, because the program
   * has a listener of its own, and never otherwise. Undefined: signals are none of its business.
   */
  readonly onSignal: ((signal: NodeJS.Signals, livesOn: Promise<void>) => Promise<unknown>) | undefined
  /** What deletes it from outside while the process exits; undefined: nothing can, or there is nothing yet. */
  readonly ticket: () => DeletionTicket | undefined
  /** Called while the process exits, with what became of the deletion, if there was a ticket. Must not wait. */
  readonly onExit: (result: ReaperResult | undefined) => void
  /** Called right before a signal ends the process, when the time for `onSignal` is over. Must not wait. */
  readonly onDeath?: () => void
}

/** What this process undoes before it ends. */
export interface ProcessGuard {
  /** Guards something until the result is disposed of. Process listeners exist only while something is guarded. */
  readonly hold: (guarded: Guarded) => Disposable
  readonly reaper: ReaperProcess
}

const slot = Symbol.for('bowline.process-guard.1')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const signalLimitMs = 8000

/** The guard of this process. There is one however many clients or copies of this package run: signals come only once. */
export function processGuard(): ProcessGuard {
  const holder = process as unknown as Record<symbol, ProcessGuard | undefined>
  holder[slot] ??= createProcessGuard()
  return holder[slot]
}

function createProcessGuard(): ProcessGuard {
  const held = new Set<Guarded>()
  let leaving: NodeJS.Signals | undefined

  const isFresh = createFreshSignalTest()
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!isFresh(signal)) return
    // The second Ctrl-C of an impatient user: the reaper does the rest.
    if (leaving !== undefined) return die(signal)
    leaving = signal
    const livesOn = Promise.withResolvers<void>()
    void leave(signal, livesOn.promise).finally(() => {
      leaving = undefined
      unlisten()
      if (process.listenerCount(signal) === 0) return die(signal)
      if (isListening()) listen()
      livesOn.resolve()
    })
  }
  const leave = async (signal: NodeJS.Signals, livesOn: Promise<void>): Promise<void> => {
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, signalLimitMs)
    const endings = [...held].toReversed().map(async (guarded) => guarded.onSignal?.(signal, livesOn))
    await Promise.race([Promise.allSettled(endings), limit.promise])
    clearTimeout(timer)
  }
  const die = (signal: NodeJS.Signals): void => {
    process.off(signal, onSignal)
    // The program's own listeners decide when there are any.
    if (process.listenerCount(signal) > 0) return
    for (const guarded of held) tryTo(() => guarded.onDeath?.())
    process.kill(process.pid, signal)
  }

  const onExit = (): void => {
    const leftovers = [...held].toReversed()
    held.clear()
    const tickets = leftovers.map((guarded) => guarded.ticket()).filter((ticket) => ticket !== undefined)
    const results = tickets.length === 0 ? [] : deleteAtExit(tickets)
    for (const guarded of leftovers) {
      const id = guarded.ticket()?.id
      guarded.onExit(results.find((result) => result.id === id))
    }
  }

  const isListening = (): boolean => [...held].some((guarded) => guarded.onSignal !== undefined)
  const listen = (): void => {
    for (const signal of signals) if (!process.listeners(signal).includes(onSignal)) process.on(signal, onSignal)
  }
  const unlisten = (): void => {
    for (const signal of signals) process.off(signal, onSignal)
  }

  const hold = (guarded: Guarded): Disposable => {
    if (held.size === 0) process.on('exit', onExit)
    held.add(guarded)
    if (guarded.onSignal !== undefined) listen()
    const release = (): void => {
      if (!held.delete(guarded)) return
      if (held.size === 0) process.off('exit', onExit)
      if (leaving === undefined && !isListening()) unlisten()
    }
    return { [Symbol.dispose]: release }
  }
  return { hold, reaper: createReaperProcess() }
}

/** What cannot be undone any more must not keep the process alive. */
function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // Nobody is left to be told.
  }
}
