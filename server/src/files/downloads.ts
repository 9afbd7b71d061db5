import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isFileName, sanitizeFileName } from 'bowline/kit/file-name'
import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import { browserPath } from './browser-path.ts'
import type { SessionFiles } from './session-files.ts'
import type { FileEntry } from './file-entry.ts'

/**
 * Adds downloads of a session's browser to the session's files, and cancels downloads over the
 * limits.
 */
export class Downloads implements Disposable {
  readonly #sessionFiles: SessionFiles
  readonly #onError: (error: unknown, action: string) => void
  readonly #stop: () => void

  constructor(sessionFiles: SessionFiles, onError: (error: unknown, action: string) => void) {
    this.#sessionFiles = sessionFiles
    this.#onError = onError
    this.#stop = sessionFiles.session.browser.router.onEvent((event) => this.#receive(event))
    this.#enable()
  }

  /**
   * Call when a CDP client has disconnected: the browser then resets the download settings that the
   * client made.
   */
  onClientLeave(): void {
    if (!this.#sessionFiles.session.ended.aborted) this.#enable()
  }

  /** Deletes a file and cancels its download if it is running. Throws FILE_NOT_FOUND. */
  async removeFile(key: string): Promise<void> {
    const { guid, state } = await this.#sessionFiles.remove(key)
    if (guid !== undefined && state.kind === 'running') await this.cancel(guid)
  }

  /** Cancels a download. Does nothing if it has ended. */
  async cancel(guid: string): Promise<void> {
    const { router } = this.#sessionFiles.session.browser
    // Events do not contain the context of a download.
    const { browserContextIds } = await router.call('Target.getBrowserContexts')
    const contexts = [{}, ...browserContextIds.map((browserContextId) => ({ browserContextId }))]
    await Promise.allSettled(
      contexts.map(async (context) => router.call('Browser.cancelDownload', { guid, ...context })),
    )
  }

  [Symbol.dispose](): void {
    this.#stop()
  }

  /** Makes the default context store downloads, each under its guid. */
  #enable(): void {
    const { router, folder } = this.#sessionFiles.session.browser
    const downloadPath = browserPath(folder, folder.downloadsDir)
    router
      .call('Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath, eventsEnabled: true })
      .catch((error: unknown) => {
        if (!this.#sessionFiles.session.ended.aborted) this.#onError(error, 'enabling downloads')
      })
  }

  #receive({ method, params, sessionId: cdpSessionId }: CdpEvent): void {
    if (cdpSessionId !== undefined) return
    if (method === 'Browser.downloadWillBegin') this.#begin(params)
    else if (method === 'Browser.downloadProgress') this.#progress(params)
  }

  #begin({ guid, suggestedFilename }: Protocol.Browser.DownloadWillBeginEvent): void {
    // The guid becomes a file name on disk, and a compromised browser may send any string.
    if (!isFileName(guid)) return
    const { session } = this.#sessionFiles
    session.touch()
    const entry = this.#sessionFiles.add({
      name: sanitizeFileName(suggestedFilename),
      direction: 'download',
      path: join(session.browser.folder.downloadsDir, guid),
      guid,
    })
    this.#checkLimits(entry)
  }

  #progress({ guid, totalBytes, receivedBytes, state }: Protocol.Browser.DownloadProgressEvent): void {
    this.#sessionFiles.session.touch()
    const entry = this.#sessionFiles.find(guid)
    if (entry === undefined || entry.state.kind === 'failed') return
    entry.size = state === 'inProgress' ? Math.max(totalBytes, receivedBytes) : receivedBytes
    if (state === 'canceled') this.#fail(entry, 'the download was canceled or interrupted')
    else if (this.#checkLimits(entry) && state === 'completed') entry.state = { kind: 'complete' }
  }

  /** Whether a download is within the limits. If not, cancels and removes it. */
  #checkLimits(entry: FileEntry): boolean {
    const refusal = this.#sessionFiles.limitError(0, 0)
    if (refusal === undefined) return true
    this.#fail(entry, refusal.message)
    this.cancel(entry.guid ?? '').catch((error: unknown) => {
      if (!this.#sessionFiles.session.ended.aborted) this.#onError(error, 'canceling a download')
    })
    return false
  }

  #fail(entry: FileEntry, error: string): void {
    entry.state = { kind: 'failed', error }
    entry.size = 0
    rm(entry.path, { force: true }).catch((error: unknown) => this.#onError(error, 'removing a download'))
  }
}
