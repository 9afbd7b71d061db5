import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sanitizeFileName } from '../kit/file-name.ts'
import type { SessionFiles } from '../client/session-files.ts'
import type { CdpMessage } from './cdp-message.ts'

/** Download settings of a browser context, as set by the library. */
interface DownloadBehavior {
  readonly folder: string
  /** Whether files are named by their guid instead of the name suggested by the site. */
  readonly isNamedByGuid: boolean
}

type Params = Readonly<Record<string, unknown>>

const defaultContext = ''

/**
 * Copies finished downloads to the local directory that the library has set, before the library is
 * notified.
 */
export class LocalDownloads {
  readonly #files: SessionFiles
  readonly #signal: AbortSignal
  /** Download settings by browser context id. */
  readonly #behaviors = new Map<string, DownloadBehavior>()
  /** Browser context ids by target id and by session id. */
  readonly #contexts = new Map<string, string>()
  /** Running downloads by guid. */
  readonly #running = new Map<string, { readonly path: string; transfer?: Promise<void> }>()
  /** Last transfer by local path. */
  readonly #transfers = new Map<string, Promise<void>>()

  constructor(files: SessionFiles, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /** Records the download settings of a command. Returns the command to send instead. */
  interceptCommand(command: CdpMessage): CdpMessage {
    const { method, params = {}, sessionId } = command
    const own = method === 'Page.setDownloadBehavior' ? this.#contexts.get(sessionId ?? '') : undefined
    const { behavior, browserContextId, downloadPath } = params
    const context = typeof browserContextId === 'string' ? browserContextId : (own ?? defaultContext)
    if (typeof downloadPath !== 'string' || !String(behavior).startsWith('allow')) {
      this.#behaviors.delete(context)
      return command
    }
    this.#behaviors.set(context, { folder: downloadPath, isNamedByGuid: behavior === 'allowAndName' })
    // Events are required to know when a file is complete.
    return {
      ...command,
      method: 'Browser.setDownloadBehavior',
      params: { ...params, ...(own === undefined ? {} : { browserContextId: own }), eventsEnabled: true },
    }
  }

  /** Records the browser context of a target. */
  trackTarget({ params = {} }: CdpMessage): void {
    const { targetId, browserContextId } = (params['targetInfo'] ?? {}) as Params
    if (typeof browserContextId !== 'string') return
    this.#contexts.set(String(targetId), browserContextId)
    if (typeof params['sessionId'] === 'string') this.#contexts.set(params['sessionId'], browserContextId)
  }

  /** Assigns a local path to a new download. */
  trackDownload({ params = {} }: CdpMessage): void {
    const { guid, frameId, suggestedFilename } = params
    const settings = this.#behaviorOf(String(frameId))
    if (settings === undefined || this.#running.has(String(guid))) return
    const name = settings.isNamedByGuid ? String(guid) : String(suggestedFilename)
    this.#running.set(String(guid), { path: join(settings.folder, sanitizeFileName(name)) })
  }

  /**
   * Fetches the file of a finished download. Returns the event for the library: completed with the
   * local path, or cancelled if the transfer failed.
   */
  async fetchCompleted(event: CdpMessage): Promise<CdpMessage> {
    const params = event.params ?? {}
    const guid = String(params['guid'])
    const running = this.#running.get(guid)
    if (running === undefined || params['state'] !== 'completed') return event
    try {
      running.transfer ??= this.#fetchNext(guid, running.path)
      await running.transfer
      // The deprecated event of pages contains no path.
      return event.method === 'Page.downloadProgress'
        ? event
        : { ...event, params: { ...params, filePath: running.path } }
    } catch (error) {
      if (!this.#signal.aborted) {
        process.emitWarning(`File download failed: ${String(error)}`, { code: 'BOWLINE_DOWNLOAD' })
      }
      return { ...event, params: { ...params, state: 'canceled' } }
    }
  }

  /**
   * Fetches a file after those before it with the same path: as with a local browser, the download
   * that finished last replaces the others.
   */
  async #fetchNext(guid: string, path: string): Promise<void> {
    const before = this.#transfers.get(path)?.catch(() => undefined)
    const transfer = Promise.resolve(before).then(async () => this.#fetch(guid, path))
    this.#transfers.set(path, transfer)
    return transfer
  }

  async #fetch(guid: string, path: string): Promise<void> {
    await mkdir(join(path, '..'), { recursive: true })
    await this.#files.download(guid, path, { signal: this.#signal })
  }

  /**
   * Returns the settings for a frame. A frame that is not a target may belong to any context, so
   * the settings of the default context apply.
   */
  #behaviorOf(frameId: string): DownloadBehavior | undefined {
    const own =
      this.#behaviors.get(this.#contexts.get(frameId) ?? defaultContext) ?? this.#behaviors.get(defaultContext)
    return own ?? [...this.#behaviors.values()].at(-1)
  }
}
