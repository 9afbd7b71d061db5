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
  /** Whether a response of the browser must pass through the bridge. */
  readonly awaitsResponse: () => boolean
  /** Handles an event of the browser, or a response that is awaited. */
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
      if (!Array.isArray(named)) return targets.toBrowser(command)
      const paths: readonly unknown[] = await Promise.all(
        named.map(async (path) => (typeof path === 'string' ? uploads.send(path) : path)),
      )
      const unchanged: unknown = named.find((path, index) => path === paths[index])
      if (typeof unchanged === 'string') notFound.set(keyOf(command), unchanged)
      targets.toBrowser({ ...command, params: { ...command.params, files: paths } })
    } catch (error) {
      if (closing.signal.aborted) return
      targets.toLibrary(failureOf(command, error))
      warnOnce(String(error))
    }
  }

  /** First path of a command that does not exist locally, while the command is running. */
  const notFound = new Map<string, string>()

  // The server refuses such a path unless it is one of the session, but cannot know the reason.
  const explainRefusal = (response: CdpMessage): CdpMessage => {
    const { error } = response
    const path = JSON.stringify(notFound.get(keyOf(response)))
    notFound.delete(keyOf(response))
    if (path === undefined || error?.message.includes(path) !== true) return response
    return { ...response, error: { ...error, message: `The local file ${path} does not exist` } }
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
    awaitsResponse: () => notFound.size > 0,
    event: (event) => {
      if (event.id !== undefined) return targets.toLibrary(explainRefusal(event))
      if (downloadProgress.test(event.method ?? '') && event.params?.['state'] === 'completed') {
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

/** Pages send the deprecated event, in addition to that of the browser. */
const downloadProgress = /^(?:Browser|Page)\.downloadProgress$/

function keyOf({ id, sessionId = '' }: CdpMessage): string {
  return `${sessionId}/${id}`
}

const serverError = -32_000

function failureOf({ id, sessionId }: CdpMessage, error: unknown): CdpMessage {
  return {
    ...(id === undefined ? {} : { id }),
    ...(sessionId === undefined ? {} : { sessionId }),
    error: { code: serverError, message: messageOf(error) },
  }
}
