import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { LiveSession } from '../sessions/live-session.ts'
import { ConsoleLog } from './console-log.ts'
import { VideoRecorder, type Focus } from './video-recorder.ts'
import { harFile } from './har-file.ts'
import { NetworkLog } from './network-log.ts'
import type { RecordPlan } from './record-plan.ts'
import { TempFile } from './temp-file.ts'
import { watchTargets, type WatchedTarget } from './watch-targets.ts'

/** What a recorder works with. */
export interface RecorderDeps {
  readonly session: LiveSession
  readonly plan: RecordPlan
  readonly focus: Focus
  readonly maxBytes: number
  readonly version: string
  readonly onError: (error: unknown) => void
}

/** A finished recording, to be stored. */
export interface Recorded {
  readonly name: 'har.json' | 'console.jsonl' | 'video.webm'
  readonly contentType: string
  /** When it begins, in milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly contents: Readable
}

/** Records one session, by a client of its own on the browser's pipe, into the folder of the browser. */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #startedAtMs = Date.now()
  readonly #network: NetworkLog | undefined
  readonly #console: ConsoleLog | undefined
  readonly #film: VideoRecorder | undefined
  readonly #folder: string
  #watching: AsyncDisposable | undefined

  private constructor(deps: RecorderDeps, folder: string) {
    const { plan, focus, maxBytes, onError } = deps
    this.#deps = deps
    this.#folder = folder
    const spool = (name: string, share: number): TempFile => new TempFile(join(folder, name), maxBytes * share)
    this.#network = plan.har && new NetworkLog(spool('har', 0.3), toLogOptions(plan.har))
    this.#console = plan.console ? new ConsoleLog(spool('console', 0.1)) : undefined
    this.#film =
      plan.video &&
      new VideoRecorder(spool('video', 1), focus, { maxFps: plan.video.maxFps, maxBytes: maxBytes * 0.6, onError })
  }

  /** Starts to record. Resolves when the pages that are there are recorded. */
  static async start(deps: RecorderDeps): Promise<Recorder> {
    const { router, folder } = deps.session.browser
    const path = join(folder.root, 'recording')
    await mkdir(path, { mode: 0o700 })
    const recorder = new Recorder(deps, path)
    recorder.#watching = await watchTargets(router, {
      onAttached: async (target) => recorder.#watch(target),
      onDetached: (target) => recorder.#film?.remove(target),
      onEvent: (target, method, params) => {
        if (method.startsWith('Network.')) recorder.#network?.receive(target, method, params)
        else if (method.startsWith('Page.')) recorder.#film?.receive(target, method, params)
        else recorder.#console?.receive(target, method, params)
      },
    })
    return recorder
  }

  /** Ends the recording and answers what there is. The browser may be gone already. */
  async finish(): Promise<readonly Recorded[]> {
    const [hasVideo] = await Promise.all([this.#film?.finish(), this.#network?.finish(), this.#console?.finish()])
    // Not waited for: the browser is about to go.
    void this.#watching?.[Symbol.asyncDispose]()
    const startedAtMs = this.#startedAtMs
    const recorded: Recorded[] = []
    if (this.#network !== undefined) {
      const contents = Readable.from(this.#har(this.#network), { objectMode: false })
      recorded.push({ name: 'har.json', contentType: 'application/json', startedAtMs, contents })
    }
    if (this.#console !== undefined) {
      const contents = Readable.from(readSpool(join(this.#folder, 'console')), { objectMode: false })
      recorded.push({ name: 'console.jsonl', contentType: 'application/x-ndjson', startedAtMs, contents })
    }
    if (this.#film !== undefined && hasVideo === true) {
      const contents = Readable.from(readSpool(join(this.#folder, 'video')), { objectMode: false })
      const videoAtMs = this.#film.startedAtMs ?? startedAtMs
      recorded.push({ name: 'video.webm', contentType: 'video/webm', startedAtMs: videoAtMs, contents })
    }
    return recorded
  }

  async #watch(target: WatchedTarget): Promise<void> {
    if (target.type === 'page') this.#film?.add(target)
    await Promise.allSettled([this.#network?.watch(target), this.#console?.watch(target)])
  }

  #har({ locations, pages, leftOut }: NetworkLog): AsyncGenerator<Buffer> {
    const { version, session } = this.#deps
    const comment = leftOut === 0 ? undefined : `${leftOut} more requests found no room`
    return harFile(join(this.#folder, 'har'), locations, { version, browser: session.browser.version, pages, comment })
  }
}

/** The file is opened when it is its turn to be stored: an error before that would be nobody's, and end the server. */
const readSpool = async function* (path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

function toLogOptions(har: NonNullable<RecordPlan['har']>) {
  return { withBodies: har.bodies, withSecrets: har.secrets }
}
