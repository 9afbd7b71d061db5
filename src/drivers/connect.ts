import { abortable, signalWithTimeout } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { isError } from '../kit/is-error.ts'

const connectTimeoutMs = 30_000

/** Waits 30 s at most for a library to connect. Its failure becomes DRIVER_FAILED; a late connection is closed. */
export async function connectBrowser<Browser>(
  name: string,
  connecting: Promise<Browser>,
  disconnect: (browser: Browser) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Browser> {
  try {
    return await abortable(connecting, signalWithTimeout(signal, connectTimeoutMs))
  } catch (cause) {
    // It may still connect after the wait was given up.
    void connecting.then(disconnect).catch(() => undefined)
    if (signal?.aborted === true) throw cause
    const why = isError(cause) ? cause.message.split('\n', 1)[0] : String(cause)
    throw new BowlineError('DRIVER_FAILED', `${name} could not connect to the session: ${withoutToken(why ?? '')}`, {
      cause,
    })
  }
}

// Libraries quote the address, and its path and query are the session's secret.
function withoutToken(text: string): string {
  return text.replaceAll(/(wss?:\/\/[^/\s]+)\/\S*/g, '$1/…')
}
