import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freeFileName, tameFileName } from '../kit/file-name.ts'
import type { SessionFiles } from '../client/session-files.ts'
import type { CdpMessage } from './cdp-message.ts'

/** Where a library wants the downloads of one browser context. */
interface Wish {
  readonly folder: string
  /** Whether files are named by their guid, not as the site suggests. */
  readonly isNamedByGuid: boolean
}

type Params = Readonly<Record<string, unknown>>

const defaultContext = ''

/** Brings finished downloads to the folder the library has named, before the library hears that they are finished. */
export class LocalDownloads {
  readonly #files: SessionFiles
  readonly #signal: AbortSignal
  /** By browser context. */
  readonly #wishes = new Map<string, Wish>()
  /** Browser contexts by target and by session. */
  readonly #contexts = new Map<string, string>()
  /** By guid, since the announcement. */
  readonly #running = new Map<string, { readonly path: string; transfer?: Promise<void> }>()
  /** Paths given out, so that two downloads of one name do not meet. */
  readonly #paths = new Set<string>()

  constructor(files: SessionFiles, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /** Notes what the library says about downloads. The command that comes back is to be sent in its place. */
  wish(command: CdpMessage): CdpMessage {
    const { method, params = {}, sessionId } = command
    const own = method === 'Page.setDownloadBehavior' ? this.#contexts.get(sessionId ?? '') : undefined
    const { behavior, browserContextId, downloadPath } = params
    const context = typeof browserContextId === 'string' ? browserContextId : (own ?? defaultContext)
    if (typeof downloadPath !== 'string' || !String(behavior).startsWith('allow')) {
      this.#wishes.delete(context)
      return command
    }
    this.#wishes.set(context, { folder: downloadPath, isNamedByGuid: behavior === 'allowAndName' })
    // Without events nobody would know when to fetch the file.
    return {
      ...command,
      method: 'Browser.setDownloadBehavior',
      params: { ...params, ...(own === undefined ? {} : { browserContextId: own }), eventsEnabled: true },
    }
  }

  /** Notes which context a target belongs to. */
  follow({ params = {} }: CdpMessage): void {
    const { targetId, browserContextId } = (params['targetInfo'] ?? {}) as Params
    if (typeof browserContextId !== 'string') return
    this.#contexts.set(String(targetId), browserContextId)
    if (typeof params['sessionId'] === 'string') this.#contexts.set(params['sessionId'], browserContextId)
  }

  /** Notes a download that begins. */
  begin({ params = {} }: CdpMessage): void {
    const { guid, frameId, suggestedFilename } = params
    const wish = this.#wishOf(String(frameId))
    if (wish === undefined || this.#running.has(String(guid))) return
    const name = wish.isNamedByGuid ? String(guid) : String(suggestedFilename)
    this.#running.set(String(guid), { path: this.#freePath(wish.folder, name) })
  }

  /** The last event of a download as the library shall see it: a finished one when the file is on the local disk. */
  async finish(event: CdpMessage): Promise<CdpMessage> {
    const params = event.params ?? {}
    const guid = String(params['guid'])
    const running = this.#running.get(guid)
    if (running === undefined || params['state'] !== 'completed') return event
    try {
      running.transfer ??= this.#fetch(guid, running.path)
      await running.transfer
      return { ...event, params: { ...params, filePath: running.path } }
    } catch (error) {
      if (!this.#signal.aborted) {
        process.emitWarning(`A download could not be fetched: ${String(error)}`, { code: 'BOWLINE_DOWNLOAD' })
      }
      return { ...event, params: { ...params, state: 'canceled' } }
    }
  }

  async #fetch(guid: string, path: string): Promise<void> {
    await mkdir(join(path, '..'), { recursive: true })
    await this.#files.download(guid, path, { signal: this.#signal })
  }

  /** A frame that is no target of its own may belong to any context; then the wish of the default one counts. */
  #wishOf(frameId: string): Wish | undefined {
    const own = this.#wishes.get(this.#contexts.get(frameId) ?? defaultContext) ?? this.#wishes.get(defaultContext)
    return own ?? [...this.#wishes.values()].at(-1)
  }

  #freePath(folder: string, name: string): string {
    const pathOf = (name: string): string => join(folder, name)
    const isTaken = (name: string): boolean => this.#paths.has(pathOf(name)) || existsSync(pathOf(name))
    const path = pathOf(freeFileName(tameFileName(name), isTaken))
    this.#paths.add(path)
    return path
  }
}
