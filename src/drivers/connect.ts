import { abortable, signalWithTimeout } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { isError } from '../kit/is-error.ts'

const connectTimeoutMs = 30_000

/**
 * Waits at most 30 s for a library to connect. Rejects with DRIVER_FAILED if it fails; a connection
 * that is made later is closed.
 */
export async function connectBrowser<Browser>(
  name: string,
  connecting: Promise<Browser>,
  disconnect: (browser: Browser) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Browser> {
  try {
    return await abortable(connecting, signalWithTimeout(signal, connectTimeoutMs))
  } catch (cause) {
    // The library may still connect after the timeout.
    void connecting.then(disconnect).catch(() => undefined)
    if (signal?.aborted === true) throw cause
    const why = isError(cause) ? cause.message.split('\n', 1)[0] : String(cause)
    throw new BowlineError('DRIVER_FAILED', `${name} could not connect to the session: ${withoutToken(why ?? '')}`, {
      cause,
    })
  }
}

// Removes path and query of WebSocket URLs, which contain the secret of the session. Libraries
// quote the URL in their errors.
function withoutToken(text: string): string {
  return text.replaceAll(/(wss?:\/\/[^/\s]+)\/\S*/g, '$1/…')
}
