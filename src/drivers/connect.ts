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
    const message = isError(cause) ? cause.message : String(cause)
    const why = withoutToken(summarize(message))
    throw new BowlineError('DRIVER_FAILED', `${name} could not connect to the session: ${why}`, {
      cause,
      hint: needsLocalBrowser(message) ? inspectorHint : undefined,
    })
  }
}

const inspectorHint =
  '`PWDEBUG`, which `--debug` sets, opens the inspector of Playwright in a local browser. Unset it, or install one: npx playwright install chromium'

/** Whether Playwright tried to open its inspector on a machine without a browser. */
function needsLocalBrowser(message: string): boolean {
  return message.includes('No chromium-based browser found')
}

/** Returns the first line of a message, and the next one if it ends with a colon. */
function summarize(message: string): string {
  // Playwright draws boxes around some messages.
  const lines = message.split('\n').map((line) => line.replaceAll(/[╔╗╚╝═║]/g, '').trim())
  const [first = '', second = ''] = lines.filter((line) => line !== '')
  return first.endsWith(':') ? `${first} ${second}`.trim() : first
}

// Removes path and query of WebSocket URLs, which contain the secret of the session. Libraries
// quote the URL in their errors.
function withoutToken(text: string): string {
  return text.replaceAll(/(wss?:\/\/[^/\s]+)\/\S*/g, '$1/…')
}
