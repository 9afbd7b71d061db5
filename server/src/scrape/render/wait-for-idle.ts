import { setTimeout as sleep } from 'node:timers/promises'
import { evaluateFunction } from './evaluate.ts'
import type { Tab } from './tab.ts'

/** What a page was last seen to do. It goes on changing. */
export interface PageActivity {
  /** Requests under way. */
  readonly running: ReadonlySet<string>
  /** Time in milliseconds at which something was last asked for or came. */
  readonly changedAtMs: number
  /** Whether it has no workers and no frames of other sites, of whose work it knows nothing. */
  readonly isSingleTarget: boolean
}

/** A page that asked for nothing for so many milliseconds has drawn what it will. */
const quietMs = 150

/** So many milliseconds of quiet do for a page that says itself that nothing of it is due in the next 30. */
const restMs = 70

/** A page that shows no more letters may be about to draw itself: it gets all the time. */
const fewLetters = 200

/** The wait is never shorter, in milliseconds: what a click sets off takes a moment to be heard of. */
const leastMs = 50

/** Longest wait in milliseconds: some pages are never quiet. */
const longestMs = 5000

/** Waits until a page has loaded nothing more for a moment, at most until `endMs`. */
export async function waitForIdle(tab: Tab, activity: PageActivity, endMs: number): Promise<void> {
  const startMs = performance.now()
  const lastMs = Math.min(endMs, startMs + longestMs)
  let askedAtMs = 0
  for (let nowMs = startMs; nowMs < lastMs; nowMs = performance.now()) {
    const { running, changedAtMs, isSingleTarget } = activity
    const quietAtMs = Math.max(changedAtMs + quietMs, startMs + leastMs)
    const restAtMs = Math.max(changedAtMs + restMs, startMs + leastMs)
    const asks = isSingleTarget && askedAtMs <= changedAtMs
    if (running.size === 0 && nowMs >= quietAtMs) return
    if (running.size === 0 && asks && nowMs >= restAtMs) {
      askedAtMs = nowMs
      const rests = await isAtRest(tab, quietAtMs - nowMs)
      if (rests && activity.running.size === 0 && activity.changedAtMs < askedAtMs) return
    } else {
      const pauseMs = running.size > 0 ? pollMs : (asks ? restAtMs : quietAtMs) - nowMs
      await sleep(Math.min(pauseMs, lastMs - nowMs), undefined, { signal: tab.signal })
    }
  }
}

const pollMs = 20

/** Blink ends the time for idle work at the next timer or picture that is due, and after 50 ms, of which some have gone by. */
const restProbe = `() => new Promise((resolve) => requestIdleCallback((left) =>
  resolve(left.timeRemaining() > 30 && (document.body?.innerText.length ?? 0) > ${fewLetters})))`

/** Whether a page shows something, no script runs, and no picture is due and no timer. A page that does not say so in time has something to do. */
async function isAtRest(tab: Tab, limitMs: number): Promise<boolean> {
  const answer = evaluateFunction(tab, restProbe).then(
    (value) => value === true,
    () => false,
  )
  return Promise.race([answer, sleep(limitMs, false, { ref: false })])
}
