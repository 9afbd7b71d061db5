import type { DrivenSession } from '../client/driver.ts'
import { createSessionFiles, filesUrl } from '../client/session-files.ts'
import { openCdpConnection } from './cdp-connection.ts'
import { createFileBridge } from './file-bridge.ts'
import type { MessageForm } from './message-form.ts'

/** A connection as both libraries take it in place of an address. */
export interface Transport<Message> {
  send(message: Message): void
  close(): void
  onmessage?: (message: Message) => void
  onclose?: (reason?: string) => void
}

/** A transport, and whether the library has used it. */
export interface OpenedTransport<Message> {
  readonly transport: Transport<Message>
  readonly isUsed: () => boolean
}

/** Connects to a session through a file bridge. Undefined for services that do not keep files of sessions. */
export async function openTransport<Message>(
  session: DrivenSession,
  form: MessageForm<Message>,
): Promise<OpenedTransport<Message> | undefined> {
  if (filesUrl(session.cdpUrl) === undefined) return undefined
  const files = session.files ?? createSessionFiles(session.cdpUrl)
  let isUsed = false
  const connection = await openCdpConnection(session.cdpUrl, {
    onMessage: (text) => {
      const message = form.fromText(text)
      if (form.mentionsFiles(message)) bridge.event(form.toObject(message))
      else transport.onmessage?.(message)
    },
    onClose: (reason) => {
      bridge[Symbol.dispose]()
      transport.onclose?.(reason)
    },
  })
  const bridge = createFileBridge(files, {
    toBrowser: (command) => connection.send(JSON.stringify(command)),
    toLibrary: (message) => transport.onmessage?.(form.fromObject(message)),
  })
  const transport: Transport<Message> = {
    send: (message) => {
      isUsed = true
      if (form.namesFiles(message)) bridge.command(form.toObject(message))
      else connection.send(form.toText(message))
    },
    close: () => connection.close(),
  }
  return { transport, isUsed: () => isUsed }
}
