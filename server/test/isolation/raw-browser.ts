import { setTimeout as sleep } from 'node:timers/promises'
import { launchBrowser, type Browser, type LaunchOptions } from '../../src/browsers/launch.ts'
import type { BrowserHost } from '../../src/browsers/host.ts'

type RawCall = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>

/** A browser that accepts any command of a test, without the command policy. */
export interface RawBrowser extends AsyncDisposable {
  readonly browser: Browser
  /** Sends a command to the browser itself. */
  readonly call: RawCall
  /** Sends a command to its page. */
  readonly onPage: RawCall
  /** Returns the value of an expression in the page. */
  readonly evaluate: (expression: string) => Promise<unknown>
  /**
   * The content that a page shows for a URL, or the reason why it shows none. Opened by
   * `Page.navigate`.
   */
  readonly read: (url: string) => Promise<string>
  /** The same, opened as a new tab. */
  readonly readInTab: (url: string) => Promise<string>
}

/** The content of a document, once it has loaded. */
const everything = `new Promise((done) => {
  const show = () => done(document.documentElement.outerHTML + document.documentElement.innerText)
  if (document.readyState === 'complete') show()
  else window.addEventListener('load', show)
})`

/**
 * Launches a browser and attaches to its page. Unless it `isWatched`, the server does not close
 * internal pages of the browser.
 */
export async function openRawBrowser(
  host: BrowserHost,
  { isWatched = false, ...options }: LaunchOptions & { readonly isWatched?: boolean } = {},
): Promise<RawBrowser> {
  const browser = await launchBrowser(host, options)
  const { router } = browser
  if (!isWatched) await router.call('Target.setDiscoverTargets', { discover: false })
  const attach = async (targetId: string): Promise<string> =>
    (await router.call('Target.attachToTarget', { targetId, flatten: true })).sessionId
  const evaluateIn = async (session: string, expression: string): Promise<unknown> => {
    const options = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await router.callIn(session)('Runtime.evaluate', options)
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { value: unknown }).value
  }
  /** Retries in the next document when a navigation replaces the current one. */
  const evaluateInLast = async (session: string, expression: string): Promise<unknown> => {
    const signal = AbortSignal.timeout(10_000)
    for (;;) {
      try {
        return await evaluateIn(session, expression)
      } catch (error) {
        if (signal.aborted || !/execution context|navigated or closed/i.test(String(error))) throw error
      }
      await sleep(20)
    }
  }
  /** Waits until a new tab, which is announced with an empty document, has loaded another one. */
  const navigated = async (session: string): Promise<void> => {
    const other = Promise.withResolvers<void>()
    const isOther = (frame: { readonly url: string }): boolean => !['', ':', 'about:blank'].includes(frame.url)
    using _ = {
      [Symbol.dispose]: router.onEvent(({ method, params, sessionId }) => {
        if (method !== 'Page.frameNavigated' || sessionId !== session) return
        if (isOther(params.frame)) other.resolve()
      }),
    }
    await router.callIn(session)('Page.enable')
    const { frameTree } = await router.callIn(session)('Page.getFrameTree')
    if (!isOther(frameTree.frame)) await other.promise
  }
  const whole = async (session: string): Promise<string> => String(await evaluateInLast(session, everything))
  const session = await attach(browser.parkedTargetId)
  return {
    browser,
    // The tests also send commands that the protocol does not list.
    call: router.call as RawCall,
    onPage: router.callIn(session) as RawCall,
    evaluate: async (expression) => evaluateIn(session, expression),
    read: async (url) => {
      const { errorText } = await router.callIn(session)('Page.navigate', { url })
      return `${JSON.stringify(errorText)} ${await whole(session)}`
    },
    readInTab: async (url) => {
      const { targetId } = await router.call('Target.createTarget', { url })
      const tab = await attach(targetId)
      await navigated(tab)
      return whole(await attach(targetId))
    },
    [Symbol.asyncDispose]: async () => browser.kill(),
  }
}
