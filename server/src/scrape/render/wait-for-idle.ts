import { setTimeout as delay } from 'node:timers/promises'
import { sleep } from 'bowline/kit/sleep'
import { evaluateFunction } from './evaluate.ts'
import type { Tab } from './tab.ts'

/** Network activity of a page. Updated while the page runs. */
export interface PageActivity {
  /** Ids of requests in flight. */
  readonly running: ReadonlySet<string>
  /** Time of the last request or response, by `performance.now()`. */
  readonly changedAtMs: number
  /**
   * Whether the page has no workers and no out-of-process frames, whose work its main frame does
   * not report.
   */
  readonly isSingleTarget: boolean
}

/** A page without network activity for this long is idle, in milliseconds. */
const idleMs = 150

/** Shorter limit for a page whose event loop reports that nothing is due in the next 30 ms. */
const earlyIdleMs = 70

/** A page with fewer visible characters may be about to render: it gets all of `idleMs`. */
const minCharacters = 200

/** Minimum wait in milliseconds: the effects of a click take a moment to arrive. */
const minWaitMs = 50

/** Maximum wait in milliseconds: some pages are never idle. */
const maxWaitMs = 5000

const pollMs = 20

/** Waits until a page is idle, at most until `endMs` by `performance.now()`. */
export async function waitForIdle(tab: Tab, activity: PageActivity, endMs: number): Promise<void> {
  const startMs = performance.now()
  const lastMs = Math.min(endMs, startMs + maxWaitMs)
  let probedAtMs = 0
  for (let nowMs = startMs; nowMs < lastMs; nowMs = performance.now()) {
    const { running, changedAtMs, isSingleTarget } = activity
    const idleAtMs = Math.max(changedAtMs + idleMs, startMs + minWaitMs)
    const probeAtMs = Math.max(changedAtMs + earlyIdleMs, startMs + minWaitMs)
    const canProbe = isSingleTarget && probedAtMs <= changedAtMs
    if (running.size === 0 && nowMs >= idleAtMs) return
    if (running.size === 0 && canProbe && nowMs >= probeAtMs) {
      probedAtMs = nowMs
      const isIdle = await isEventLoopIdle(tab, idleAtMs - nowMs)
      if (isIdle && activity.running.size === 0 && activity.changedAtMs < probedAtMs) return
    } else {
      const pauseMs = running.size > 0 ? pollMs : (canProbe ? probeAtMs : idleAtMs) - nowMs
      await sleep(Math.min(pauseMs, lastMs - nowMs), tab.signal)
    }
  }
}

/**
 * Whether a page shows text, runs no script, and has no timer or animation frame due. False if it
 * does not reply in time.
 */
async function isEventLoopIdle(tab: Tab, timeoutMs: number): Promise<boolean> {
  const reply = evaluateFunction(tab, idleProbe).then(
    (value) => value === true,
    () => false,
  )
  return Promise.race([reply, delay(timeoutMs, false, { ref: false })])
}

/**
 * Blink ends an idle period at the next timer or frame that is due, or after 50 ms, part of which
 * has passed.
 */
const idleProbe = `() => new Promise((resolve) => requestIdleCallback((deadline) =>
  resolve(deadline.timeRemaining() > 30 && (document.body?.innerText.length ?? 0) > ${minCharacters})))`
