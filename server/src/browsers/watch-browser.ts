import type { CdpRouter } from '../cdp/router.ts'

/** Options of `watchBrowser`. */
export interface WatchOptions {
  /** A browser that has said nothing for this long is asked for its version. Default: 10 s. */
  readonly quietMs?: number | undefined
  /** Time for each of two answers. Default: 15 s. */
  readonly answerMs?: number | undefined
  /** Called once when both were missed. */
  readonly onHung: () => void
}

/** A browser under watch. Disposing stops it; what it knows stays. */
export interface BrowserWatch extends Disposable {
  /** For how long the browser has owed an answer, in milliseconds; 0 while it owes none. */
  readonly silentMs: () => number
}

/**
 * Finds out whether the main process of a browser hangs. Pages do not matter: the main process answers by itself, however
 * busy its pages are. A second question is asked before the verdict, because this process may have been stopped itself.
 */
export function watchBrowser(router: CdpRouter, options: WatchOptions): BrowserWatch {
  const { quietMs = 10_000, answerMs = 15_000, onHung } = options
  let askedAtMs: number | undefined
  let endedAtMs: number | undefined
  const now = (): number => endedAtMs ?? performance.now()
  const isOwing = (): boolean => askedAtMs !== undefined && router.lastHeardMs() < askedAtMs

  const ask = (): void => {
    // It goes unanswered when the browser is gone.
    router.call('Browser.getVersion').catch(() => undefined)
  }
  const look = (): void => {
    // Nothing is read while a client lags behind.
    if (router.isPaused() || performance.now() - router.lastHeardMs() < quietMs) return wait(quietMs, look)
    askedAtMs = performance.now()
    ask()
    wait(answerMs, () => judge(false))
  }
  const judge = (isSecond: boolean): void => {
    if (!isOwing() || router.isPaused()) {
      askedAtMs = undefined
      return look()
    }
    if (isSecond) return onHung()
    ask()
    wait(answerMs, () => judge(true))
  }
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number, next: () => void): void => {
    timer = setTimeout(next, ms).unref()
  }
  wait(quietMs, look)
  return {
    silentMs: () => (askedAtMs !== undefined && isOwing() ? now() - router.lastHeardMs() : 0),
    [Symbol.dispose]: () => {
      endedAtMs ??= performance.now()
      clearTimeout(timer)
    },
  }
}
