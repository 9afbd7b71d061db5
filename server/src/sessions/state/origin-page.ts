import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../../browsers/launch.ts'
import type { CdpIncoming } from '../../cdp/message.ts'

/** A page that can stand at any origin without a request to it. Disposing leaves the browser as it is. */
export interface OriginPage extends Disposable {
  /** Runs a function in an empty document of the origin and answers what it resolves to. */
  readonly runAt: (origin: string, pageFunction: string, argument?: unknown) => Promise<unknown>
}

/** Makes the parked page of a browser one: every request of it is answered with an empty document. */
export async function openOriginPage({ router, parkedTargetId }: Browser): Promise<OriginPage> {
  const { sessionId } = (await router.call('Target.attachToTarget', {
    targetId: parkedTargetId,
    flatten: true,
  })) as { sessionId: string }
  const call = async (method: string, params: object = {}) => router.call(method, params, sessionId)
  const answer = ({ method, params, sessionId: from }: CdpIncoming): void => {
    if (method !== 'Fetch.requestPaused' || from !== sessionId) return
    const document = [{ name: 'content-type', value: 'text/html' }]
    const response = { requestId: params?.['requestId'], responseCode: 200, responseHeaders: document, body: '' }
    // A request that was given up meanwhile needs no answer.
    call('Fetch.fulfillRequest', response).catch(() => undefined)
  }
  const stopListening = router.onEvent(answer)
  await call('Page.enable')
  await call('Network.enable')
  // A service worker of the profile would answer in our place.
  await call('Network.setBypassServiceWorker', { bypass: true })
  await call('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  const runAt: OriginPage['runAt'] = async (origin, pageFunction, argument) => {
    await call('Page.navigate', { url: `${origin}/` })
    const expression = `location.origin === ${JSON.stringify(origin)}
      ? (${pageFunction})(${JSON.stringify(argument) ?? ''})
      : Promise.reject(new Error('it cannot be opened'))`
    const { result, exceptionDetails } = (await call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown }; exceptionDetails?: { exception?: { description?: string } } }
    if (exceptionDetails === undefined) return result.value
    const reason = exceptionDetails.exception?.description?.split('\n')[0] ?? 'no reason was given'
    throw new BowlineError('BAD_REQUEST', `The storage of ${origin} could not be used: ${reason}`)
  }
  return { runAt, [Symbol.dispose]: stopListening }
}
