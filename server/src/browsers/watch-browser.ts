import type { CdpRouter } from '../cdp/router.ts'

/** Options of `watchBrowser`. */
export interface WatchOptions {
  /** Time without a message after which the browser is probed. Default: 10 s. */
  readonly quietMs?: number | undefined
  /** Time to wait for the response to each of two probes. Default: 15 s. */
  readonly responseTimeoutMs?: number | undefined
  /** Called once if the browser responds to neither probe. */
  readonly onHung: () => void
}

/** Watches a browser. Disposing stops it, and `silentMs` keeps its last value. */
export interface BrowserWatch extends Disposable {
  /**
   * Milliseconds since the last message of a browser with a pending request; 0 if no request is
   * pending.
   */
  readonly unresponsiveMs: () => number
}

/**
 * Detects a browser whose main process hangs. Busy pages do not matter, because the main process
 * responds on its own. A second probe precedes the verdict, because the server itself may have been
 * stopped for a while.
 */
export function watchBrowser(router: CdpRouter, options: WatchOptions): BrowserWatch {
  const { quietMs = 10_000, responseTimeoutMs = 15_000, onHung } = options
  let probedAtMs: number | undefined
  let endedAtMs: number | undefined
  const now = (): number => endedAtMs ?? performance.now()
  const isWaiting = (): boolean => probedAtMs !== undefined && router.lastMessageMs() < probedAtMs

  const probe = (): void => {
    // Rejects if the browser is gone.
    router.call('Browser.getVersion').catch(() => undefined)
  }
  const check = (): void => {
    // Nothing is read while a slow client holds up the pipe.
    if (router.isPaused() || performance.now() - router.lastMessageMs() < quietMs) return wait(quietMs, check)
    probedAtMs = performance.now()
    probe()
    wait(responseTimeoutMs, () => judgeProbe(false))
  }
  const judgeProbe = (isSecond: boolean): void => {
    if (!isWaiting() || router.isPaused()) {
      probedAtMs = undefined
      return check()
    }
    if (isSecond) return onHung()
    probe()
    wait(responseTimeoutMs, () => judgeProbe(true))
  }
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number, next: () => void): void => {
    timer = setTimeout(next, ms).unref()
  }
  wait(quietMs, check)
  return {
    unresponsiveMs: () => (probedAtMs !== undefined && isWaiting() ? now() - router.lastMessageMs() : 0),
    [Symbol.dispose]: () => {
      endedAtMs ??= performance.now()
      clearTimeout(timer)
    },
  }
}
