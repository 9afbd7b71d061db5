import type { SessionFiles } from '../client/session-files.ts'
import type { CdpMessage } from './cdp-message.ts'
import { LocalDownloads } from './local-downloads.ts'
import { LocalUploads } from './local-uploads.ts'
import { messageOf } from '../kit/message-of.ts'

/** Receivers of the messages that a bridge forwards. */
export interface BridgeTargets {
  readonly toBrowser: (command: CdpMessage) => void
  readonly toLibrary: (message: CdpMessage) => void
}

/**
 * Rewrites file messages between a library and its remote browser, so that uploads and downloads
 * use local paths. Disposing aborts the transfers.
 */
export interface FileBridge extends Disposable {
  /** Handles a command of the library. */
  readonly command: (command: CdpMessage) => void
  /** Handles an event of the browser. */
  readonly event: (event: CdpMessage) => void
}

/** Creates the file bridge of a connection. */
export function createFileBridge(files: SessionFiles, targets: BridgeTargets): FileBridge {
  const closing = new AbortController()
  const downloads = new LocalDownloads(files, closing.signal)
  const uploads = new LocalUploads(files, closing.signal)

  const sendFiles = async (command: CdpMessage): Promise<void> => {
    const named = command.params?.['files']
    try {
      const paths = Array.isArray(named)
        ? await Promise.all(named.map(async (path) => (typeof path === 'string' ? uploads.send(path) : path)))
        : named
      targets.toBrowser({ ...command, params: { ...command.params, files: paths } })
    } catch (error) {
      if (closing.signal.aborted) return
      targets.toLibrary(failureOf(command, error))
      warnOnce(String(error))
    }
  }

  const warned = new Set<string>()
  const warnOnce = (why: string): void => {
    // Playwright retries until its timeout, and then does not mention the reason.
    if (warned.has(why)) return
    warned.add(why)
    process.emitWarning(`File upload failed: ${why}`, { code: 'BOWLINE_UPLOAD' })
  }

  const fetchCompleted = async (event: CdpMessage): Promise<void> => {
    const completed = await downloads.fetchCompleted(event)
    if (!closing.signal.aborted) targets.toLibrary(completed)
  }

  return {
    command: (command) => {
      // A failed upload becomes the response to the command.
      if (command.method === 'DOM.setFileInputFiles') void sendFiles(command)
      else targets.toBrowser(downloads.interceptCommand(command))
    },
    event: (event) => {
      if (event.method === 'Browser.downloadProgress' && event.params?.['state'] === 'completed') {
        // This never rejects: a failed transfer is reported to the library as a cancelled download.
        void fetchCompleted(event)
        return
      }
      if (event.method === 'Browser.downloadWillBegin') downloads.trackDownload(event)
      else if (event.method?.startsWith('Target.') === true) downloads.trackTarget(event)
      targets.toLibrary(event)
    },
    [Symbol.dispose]: () => closing.abort(),
  }
}

const serverError = -32_000

function failureOf({ id, sessionId }: CdpMessage, error: unknown): CdpMessage {
  return {
    ...(id === undefined ? {} : { id }),
    ...(sessionId === undefined ? {} : { sessionId }),
    error: { code: serverError, message: messageOf(error) },
  }
}
