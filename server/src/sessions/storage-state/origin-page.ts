import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../../browsers/launch.ts'
import { OversizedResult } from '../../cdp/message-limits.ts'
import type { CdpEvent } from '../../cdp/protocol.ts'
import { attachToTarget } from '../../cdp/targets.ts'

/** Maximum size of what one origin stores, as JSON, in bytes. */
const maxStorageBytes = 32_000_000

/**
 * A page that can load any origin without a network request. Disposing does not change the browser.
 */
export interface OriginPage extends Disposable {
  /** Runs a function in an empty document of the origin. Returns its resolved value. */
  readonly runAt: (origin: string, pageFunction: string, argument?: unknown) => Promise<unknown>
}

/** Turns the parked page of a browser into an origin page: every request gets an empty document. */
export async function openOriginPage({ router, parkedTargetId }: Browser): Promise<OriginPage> {
  const { call, cdpSessionId, onEvent } = await attachToTarget(router, parkedTargetId)
  const fulfill = ({ method, params }: CdpEvent): void => {
    if (method !== 'Fetch.requestPaused') return
    const document = [{ name: 'content-type', value: 'text/html' }]
    const response = { requestId: params.requestId, responseCode: 200, responseHeaders: document, body: '' }
    // An aborted request needs no response.
    call('Fetch.fulfillRequest', response).catch(() => undefined)
  }
  const stopListening = onEvent(fulfill)
  await call('Page.enable')
  await call('Network.enable')
  // A service worker of the profile would respond instead.
  await call('Network.setBypassServiceWorker', { bypass: true })
  await call('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  const runAt: OriginPage['runAt'] = async (origin, pageFunction, argument) => {
    await call('Page.navigate', { url: `${origin}/` })
    const expression = `location.origin === ${JSON.stringify(origin)}
      ? (${pageFunction})(${JSON.stringify(argument) ?? ''})
      : Promise.reject(new Error('it cannot be loaded'))`
    const run = router.callIn(cdpSessionId, { bytes: maxStorageBytes })
    const options = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await run('Runtime.evaluate', options).catch((error: unknown) => {
      if (!(error instanceof OversizedResult)) throw error
      const limit = `${maxStorageBytes / 1e6} MB`
      throw new BowlineError('BAD_REQUEST', `${origin} stores more than ${limit}`, { cause: error })
    })
    if (exceptionDetails === undefined) return result.value as unknown
    const reason = exceptionDetails.exception?.description?.split('\n')[0] ?? 'unknown error'
    throw new BowlineError('BAD_REQUEST', `Cannot access the storage of ${origin}: ${reason}`)
  }
  return { runAt, [Symbol.dispose]: stopListening }
}
