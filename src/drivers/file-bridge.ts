import type { SessionFiles } from '../client/session-files.ts'
import type { CdpMessage } from './cdp-message.ts'
import { LocalDownloads } from './local-downloads.ts'
import { LocalUploads } from './local-uploads.ts'
import { isError } from '../kit/is-error.ts'

/** Where a bridge sends what it let through, changed or late. */
export interface BridgeEnds {
  readonly toBrowser: (command: CdpMessage) => void
  readonly toLibrary: (message: CdpMessage) => void
}

/** Stands between a library and its remote browser, and has both see their own disk. Disposing ends its transfers. */
export interface FileBridge extends Disposable {
  /** Takes a command of the library. */
  readonly command: (command: CdpMessage) => void
  /** Takes an event or answer of the browser. */
  readonly event: (event: CdpMessage) => void
}

/** Makes the bridge of one connection. */
export function createFileBridge(files: SessionFiles, ends: BridgeEnds): FileBridge {
  const closing = new AbortController()
  const downloads = new LocalDownloads(files, closing.signal)
  const uploads = new LocalUploads(files, closing.signal)

  const sendFiles = async (command: CdpMessage): Promise<void> => {
    const named = command.params?.['files']
    try {
      const paths = Array.isArray(named)
        ? await Promise.all(named.map(async (path) => (typeof path === 'string' ? uploads.send(path) : path)))
        : named
      ends.toBrowser({ ...command, params: { ...command.params, files: paths } })
    } catch (error) {
      if (closing.signal.aborted) return
      ends.toLibrary(failureOf(command, error))
      warn(String(error))
    }
  }

  const warned = new Set<string>()
  const warn = (why: string): void => {
    // Playwright tries again until its time is over, and then says only that.
    if (warned.has(why)) return
    warned.add(why)
    process.emitWarning(`A file could not be uploaded: ${why}`, { code: 'BOWLINE_UPLOAD' })
  }

  const finish = async (event: CdpMessage): Promise<void> => {
    const told = await downloads.finish(event)
    if (!closing.signal.aborted) ends.toLibrary(told)
  }

  return {
    command: (command) => {
      // Its failure is the answer to the command.
      if (command.method === 'DOM.setFileInputFiles') void sendFiles(command)
      else ends.toBrowser(downloads.wish(command))
    },
    event: (event) => {
      if (event.method === 'Browser.downloadProgress' && event.params?.['state'] === 'completed') {
        // It never rejects: a transfer that fails is told as a cancelled download.
        void finish(event)
        return
      }
      if (event.method === 'Browser.downloadWillBegin') downloads.begin(event)
      else if (event.method?.startsWith('Target.') === true) downloads.follow(event)
      ends.toLibrary(event)
    },
    [Symbol.dispose]: () => closing.abort(),
  }
}

const serverError = -32_000

function failureOf({ id, sessionId }: CdpMessage, error: unknown): CdpMessage {
  return {
    ...(id === undefined ? {} : { id }),
    ...(sessionId === undefined ? {} : { sessionId }),
    error: { code: serverError, message: isError(error) ? error.message : String(error) },
  }
}
