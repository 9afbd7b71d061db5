import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { RecordingType } from 'bowline/contract/recordings'
import type { CdpEvent } from '../cdp/protocol.ts'
import { attachToBrowser, autoAttach, type AttachedTarget } from '../cdp/targets.ts'
import type { Browser } from '../browsers/launch.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { ConsoleLog } from './console-log.ts'
import { VideoRecorder, type Focus } from './video-recorder.ts'
import { generateHar } from './har-file.ts'
import { NetworkLog, type TextMask } from './network-log.ts'
import type { RecordPlan } from './record-plan.ts'
import { TempFile } from './temp-file.ts'

/** A session that can be recorded. */
export interface RecordedSession {
  readonly row: SessionRow
  readonly browser: Pick<Browser, 'router' | 'folder' | 'version'>
  /** Masks secrets in what is recorded. */
  readonly secrets: { readonly mask: TextMask }
}

/** Dependencies of a recorder. */
export interface RecorderDeps {
  readonly session: RecordedSession
  readonly plan: RecordPlan
  readonly focus: Focus
  readonly maxBytes: number
  readonly version: string
  readonly onError: (error: unknown) => void
}

/** One file of a finished recording, ready to be stored. */
export interface RecordedFile {
  readonly name: 'har.json' | 'console.jsonl' | 'video.webm' | 'picture.webp'
  readonly contentType: RecordingType
  /** When it begins, in milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly contents: Readable
}

/** Records one session over its own CDP sessions, into the browser's temporary folder. */
export class Recorder implements AsyncDisposable {
  readonly #deps: RecorderDeps
  readonly #startedAtMs = Date.now()
  readonly #network: NetworkLog | undefined
  readonly #console: ConsoleLog | undefined
  readonly #video: VideoRecorder | undefined
  readonly #folder: string
  readonly #watching = new AsyncDisposableStack()

  private constructor(deps: RecorderDeps, folder: string) {
    const { session, plan, focus, maxBytes, onError } = deps
    const { mask } = session.secrets
    this.#deps = deps
    this.#folder = folder
    const tempFile = (name: string, share: number): TempFile => new TempFile(join(folder, name), maxBytes * share)
    this.#network = plan.har && new NetworkLog(tempFile('har', 0.3), { ...toLogOptions(plan.har), mask })
    this.#console = plan.console ? new ConsoleLog(tempFile('console', 0.1), mask) : undefined
    // No new frames above 60 %; the larger file limit keeps the last ones from being cut.
    this.#video =
      plan.video &&
      new VideoRecorder(tempFile('video', 1), focus, { maxFps: plan.video.maxFps, maxBytes: maxBytes * 0.6, onError })
  }

  /** Starts recording. Resolves when all existing pages are being recorded. */
  static async start(deps: RecorderDeps): Promise<Recorder> {
    const { router, folder } = deps.session.browser
    const path = join(folder.root, 'recording')
    await mkdir(path, { mode: 0o700 })
    const recorder = new Recorder(deps, path)
    const browserSession = recorder.#watching.use(await attachToBrowser(router))
    const targets = autoAttach(router, browserSession, {
      filter: [{ type: 'page' }],
      childFilter: [{ type: 'iframe' }, { type: 'worker' }],
      onAttached: async (target) => recorder.#watch(target),
      onDetached: (target) => recorder.#video?.remove(target),
      onEvent: (target, event) => recorder.#receive(target, event),
    })
    recorder.#watching.use(targets)
    await targets.ready
    return recorder
  }

  /** Ends the recording and returns its files. Also works after the browser has exited. */
  async finish(): Promise<readonly RecordedFile[]> {
    const [hasVideo] = await Promise.all([this.#video?.finish(), this.#network?.finish(), this.#console?.finish()])
    // Not awaited, since the browser is about to close.
    void this[Symbol.asyncDispose]()
    const startedAtMs = this.#startedAtMs
    const recorded: RecordedFile[] = []
    if (this.#network !== undefined) {
      const contents = Readable.from(this.#har(this.#network), { objectMode: false })
      recorded.push({ name: 'har.json', contentType: 'application/json', startedAtMs, contents })
    }
    if (this.#console !== undefined) {
      const contents = Readable.from(readTempFile(join(this.#folder, 'console')), { objectMode: false })
      recorded.push({ name: 'console.jsonl', contentType: 'application/x-ndjson', startedAtMs, contents })
    }
    if (this.#video !== undefined && hasVideo === true) {
      const contents = Readable.from(readTempFile(join(this.#folder, 'video')), { objectMode: false })
      const videoAtMs = this.#video.firstFrameEpochMs ?? startedAtMs
      recorded.push({ name: 'video.webm', contentType: 'video/webm', startedAtMs: videoAtMs, contents })
    }
    const picture = this.#video?.lastPicture
    if (picture !== undefined) {
      const contents = Readable.from(picture.image, { objectMode: false })
      recorded.push({ name: 'picture.webp', contentType: 'image/webp', startedAtMs: picture.epochMs, contents })
    }
    return recorded
  }

  /** Detaches from the browser. Also done by `finish`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watching.disposeAsync()
  }

  async #watch(target: AttachedTarget): Promise<void> {
    if (target.type === 'page') this.#video?.add(target)
    await Promise.allSettled([this.#network?.watch(target), this.#console?.watch(target)])
  }

  #receive(target: AttachedTarget, event: CdpEvent): void {
    if (event.method.startsWith('Network.')) this.#network?.receive(target, event)
    else if (event.method.startsWith('Page.')) this.#video?.receive(target, event)
    else this.#console?.receive(event)
  }

  #har({ locations, pages, skipped }: NetworkLog): AsyncGenerator<Buffer> {
    const { version, session } = this.#deps
    const comment = skipped === 0 ? undefined : `${skipped} more requests were not recorded: the size limit was reached`
    return generateHar(join(this.#folder, 'har'), locations, {
      version,
      browser: session.browser.version,
      pages: session.secrets.mask.applyToJson(pages),
      comment,
    })
  }
}

/**
 * Opens the file when it is first read: an earlier error would be unhandled and end the process.
 */
async function* readTempFile(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

function toLogOptions(har: NonNullable<RecordPlan['har']>) {
  return { withBodies: har.bodies, withSecrets: har.secrets }
}
