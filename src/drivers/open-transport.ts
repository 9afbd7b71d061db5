import { closeCodes } from '../contract/close-codes.ts'
import type { ConnectOptions, DrivenSession } from '../client/driver.ts'
import { filesUrl } from '../client/file-requests.ts'
import { createSessionFiles } from '../client/session-files.ts'
import { openCdpConnection } from './cdp-connection.ts'
import { connectionLost } from '../client/connection-lost.ts'
import { createFileBridge } from './file-bridge.ts'
import type { MessageCodec } from './message-codec.ts'

/** Transport that both libraries accept instead of a URL. */
export interface Transport<Message> {
  send(message: Message): void
  close(): void
  onmessage?: (message: Message) => void
  onclose?: (reason?: string) => void
}

/** A transport, and whether the library has sent anything through it. */
export interface OpenedTransport<Message> {
  readonly transport: Transport<Message>
  readonly isUsed: () => boolean
}

/**
 * Connects to a session through a file bridge. Returns `undefined` for services without session
 * files. `onLost` is called when the connection ends and the library has not closed it.
 */
export async function openTransport<Message>(
  session: DrivenSession,
  codec: MessageCodec<Message>,
  onLost: ConnectOptions['onLost'],
): Promise<OpenedTransport<Message> | undefined> {
  if (filesUrl(session.cdpUrl) === undefined) return undefined
  const files = session.files ?? createSessionFiles(session.cdpUrl)
  let isUsed = false
  const connection = await openCdpConnection(session.cdpUrl, {
    onMessage: (text) => {
      const message = codec.fromText(text)
      if (codec.isFileEvent(message) || bridge.awaitsResponse()) bridge.event(codec.toObject(message))
      else transport.onmessage?.(message)
    },
    onClose: (code, reason) => {
      bridge[Symbol.dispose]()
      const isDeletedByCaller = session.isEnding === true && code === closeCodes.deleted
      const lost = isDeletedByCaller ? undefined : connectionLost(session.id, code, reason)
      if (lost !== undefined) onLost?.(lost)
      transport.onclose?.(reason)
    },
  })
  const bridge = createFileBridge(files, {
    toBrowser: (command) => connection.send(JSON.stringify(command)),
    toLibrary: (message) => transport.onmessage?.(codec.fromObject(message)),
  })
  const transport: Transport<Message> = {
    send: (message) => {
      isUsed = true
      if (codec.needsBridge(message)) bridge.command(codec.toObject(message))
      else connection.send(codec.toText(message))
    },
    close: () => connection.close(),
  }
  return { transport, isUsed: () => isUsed }
}
