import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isFileName, sanitizeFileName } from 'bowline/kit/file-name'
import type { CdpIncoming } from '../cdp/message.ts'
import { browserPath } from './browser-path.ts'
import type { SessionFiles } from './session-files.ts'
import type { FileEntry } from './file-entry.ts'

interface Begun {
  readonly guid: string
  readonly suggestedFilename: string
}

interface Progress {
  readonly guid: string
  readonly totalBytes: number
  readonly receivedBytes: number
  readonly state: 'inProgress' | 'completed' | 'canceled'
}

/** Puts what a session's browser downloads on its shelf, and cancels what goes over the limits. */
export class Downloads {
  readonly #sessionFiles: SessionFiles
  readonly #onError: (error: unknown, what: string) => void

  constructor(sessionFiles: SessionFiles, onError: (error: unknown, what: string) => void) {
    this.#sessionFiles = sessionFiles
    this.#onError = onError
    sessionFiles.session.browser.router.onEvent((event) => this.#receive(event))
    this.collect()
  }

  /**
   * Has the default context keep its downloads, each under its guid. The browser forgets this when a client leaves that had
   * said the same, so it is said again then.
   */
  collect(): void {
    const { router, folder } = this.#sessionFiles.session.browser
    const downloadPath = browserPath(folder, folder.downloadsDir)
    router
      .call('Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath, eventsEnabled: true })
      .catch((error: unknown) => {
        if (!this.#sessionFiles.session.ended.aborted) this.#onError(error, 'collecting downloads')
      })
  }

  /** Stops a download. Harmless when it is over. */
  async cancel(guid: string): Promise<void> {
    const { router } = this.#sessionFiles.session.browser
    // Events do not tell which context a download belongs to.
    const { browserContextIds } = (await router.call('Target.getBrowserContexts')) as { browserContextIds: string[] }
    const contexts = [{}, ...browserContextIds.map((browserContextId) => ({ browserContextId }))]
    await Promise.allSettled(
      contexts.map(async (context) => router.call('Browser.cancelDownload', { guid, ...context })),
    )
  }

  #receive({ method, params, sessionId }: CdpIncoming): void {
    if (sessionId !== undefined) return
    if (method === 'Browser.downloadWillBegin') this.#begin(params as unknown as Begun)
    else if (method === 'Browser.downloadProgress') this.#progress(params as unknown as Progress)
  }

  #begin({ guid, suggestedFilename }: Begun): void {
    // It names the file on disk, and a browser that was taken over may say anything.
    if (!isFileName(guid)) return
    const { session } = this.#sessionFiles
    session.touch()
    const entry = this.#sessionFiles.add({
      name: sanitizeFileName(suggestedFilename),
      direction: 'download',
      path: join(session.browser.folder.downloadsDir, guid),
      guid,
    })
    this.#hold(entry)
  }

  #progress({ guid, totalBytes, receivedBytes, state }: Progress): void {
    this.#sessionFiles.session.touch()
    const entry = this.#sessionFiles.find(guid)
    if (entry === undefined || entry.state.kind === 'failed') return
    entry.size = state === 'inProgress' ? Math.max(totalBytes, receivedBytes) : receivedBytes
    if (state === 'canceled') this.#fail(entry, 'the download was cancelled or broke off')
    else if (this.#hold(entry) && state === 'completed') entry.state = { kind: 'complete' }
  }

  /** Whether a download is within the limits; one that is not is cancelled and removed. */
  #hold(entry: FileEntry): boolean {
    const refusal = this.#sessionFiles.overLimit(0, 0)
    if (refusal === undefined) return true
    this.#fail(entry, refusal.message)
    this.cancel(entry.guid ?? '').catch((error: unknown) => {
      if (!this.#sessionFiles.session.ended.aborted) this.#onError(error, 'cancelling a download')
    })
    return false
  }

  #fail(entry: FileEntry, error: string): void {
    entry.state = { kind: 'failed', error }
    entry.size = 0
    rm(entry.path, { force: true }).catch((error: unknown) => this.#onError(error, 'removing a download'))
  }
}
