import { messageOf } from 'bowline/kit/message-of'
import type { BrowserEmulation, ClientTarget } from '../cdp/browser-emulation.ts'
import type { CdpCommand } from '../cdp/message.ts'
import type { CdpRouter } from '../cdp/router.ts'

const method = 'Emulation.setLocaleOverride'

/** Dependencies of `setClientLocale`. */
export interface ClientLocaleDeps {
  readonly emulation: BrowserEmulation
  readonly router: Pick<CdpRouter, 'callInClientSession'>
  readonly origin: ClientTarget
  /** Session of the client in which the command is sent. */
  readonly cdpSessionId: string
  /** Sends the response to the client. Without an error, the locale is set. */
  readonly respond: (error?: string) => void
}

/**
 * Sets the locale of a client in a session that emulates another one. Chromium has one locale for
 * each process, which another page or a worker may have set to that of the session: it is ended
 * then, and the command is sent again. Never rejects.
 */
export async function setClientLocale(
  command: CdpCommand,
  { emulation, router, origin, cdpSessionId, respond }: ClientLocaleDeps,
): Promise<void> {
  const { params } = emulation.adapt(command, origin)
  // Sent at once, so that it stays before the later commands of the client.
  const set = async () => router.callInClientSession(method, { ...params }, cdpSessionId)
  await set()
    .catch(async (error: unknown) => {
      if (!messageOf(error).includes('Another locale override')) throw error
      return emulation.withoutLocale(origin.targetId, set)
    })
    .then(
      () => respond(),
      (error: unknown) => respond(messageOf(error).replace(`${method}: `, '')),
    )
}
