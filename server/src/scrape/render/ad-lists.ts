import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FiltersEngine, Request } from '@ghostery/adblocker'
import { abortable, mergeSignals } from 'bowline/kit/abort'
import { dayMs } from 'bowline/kit/day-ms'
import type { Agent } from 'undici'
import { randomSecret } from 'bowline/kit/ids'
import { sha256 } from 'bowline/kit/sha256'
import { runEvery } from '../../kit/run-every.ts'
import { threadEnvironment } from '../../kit/thread-environment.ts'

/** Recognizes requests for advertisements and trackers by block lists. */
export interface AdLists extends AsyncDisposable {
  /** Whether lists are loaded. */
  readonly isReady: () => boolean
  /** Whether the lists block a request. `type` is a CDP resource type. */
  readonly isAd: (request: { readonly url: string; readonly pageUrl: string; readonly type: string }) => boolean
  /** Resolves after the first load, from the data directory or the network. Never rejects. */
  readonly loaded: Promise<void>
}

/** Dependencies and settings of the block lists. */
export interface AdListDeps {
  /** URLs of lists in EasyList syntax. */
  readonly urls: readonly string[]
  readonly dataDir: string
  /** Connects to the URLs. */
  readonly dispatcher: Agent
  readonly onError: (error: unknown, action: string) => void
}

const maxListBytes = 50_000_000

/**
 * Loads block lists, from the data directory if they are less than a day old. Fetches them again
 * every day.
 */
export function openAdLists(deps: AdListDeps): AdLists {
  const stop = new AbortController()
  let blocker: Blocker | undefined
  const onError = (error: unknown): void => {
    if (!stop.signal.aborted) deps.onError(error, 'fetching the ad block lists')
  }
  const load = async (): Promise<void> => {
    blocker = await loadBlocker(deps, stop.signal)
  }
  const loaded = load().catch(onError)
  const daily = runEvery(dayMs, load, { onError })
  return {
    loaded,
    isReady: () => blocker !== undefined,
    isAd: (request) => blocker?.isAd(request) ?? false,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await loaded
      await daily[Symbol.asyncDispose]()
    },
  }
}

interface Blocker {
  readonly isAd: AdLists['isAd']
}

async function loadBlocker(deps: AdListDeps, signal: AbortSignal): Promise<Blocker> {
  const { FiltersEngine: Engine, Request: AdRequest, ENGINE_VERSION } = await import('@ghostery/adblocker')
  const name = sha256(JSON.stringify([ENGINE_VERSION, deps.urls]))
    .toString('hex')
    .slice(0, 16)
  const folder = join(deps.dataDir, 'ad-lists')
  const path = join(folder, `${name}.bin`)
  const cached = await readCached(path)
  if (cached !== undefined && cached.ageMs < dayMs) return toBlocker(Engine.deserialize(cached.bytes), AdRequest)
  try {
    const bytes = await compile(await fetchLists(deps, signal), signal)
    await mkdir(folder, { recursive: true })
    const temporary = `${path}.${randomSecret().slice(0, 8)}`
    await writeFile(temporary, bytes)
    await rename(temporary, path)
    return toBlocker(Engine.deserialize(bytes), AdRequest)
  } catch (error) {
    if (cached === undefined || signal.aborted) throw error
    // Continue with the previous lists.
    deps.onError(error, 'updating the ad block lists')
    return toBlocker(Engine.deserialize(cached.bytes), AdRequest)
  }
}

async function readCached(path: string): Promise<{ readonly bytes: Uint8Array; readonly ageMs: number } | undefined> {
  try {
    const { mtimeMs } = await stat(path)
    return { bytes: await readFile(path), ageMs: Date.now() - mtimeMs }
  } catch {
    // No copy yet, or none that can be read: the lists are fetched.
    return undefined
  }
}

async function fetchLists({ urls, dispatcher }: AdListDeps, signal: AbortSignal): Promise<readonly string[]> {
  const limit = mergeSignals(signal, AbortSignal.timeout(120_000))
  return Promise.all(
    urls.map(async (address) => {
      const { origin, pathname, search } = new URL(address)
      // The library ignores the signal until it is connected.
      const request = dispatcher.request({ origin, path: pathname + search, method: 'GET', signal: limit })
      const response = await abortable(request, limit)
      if (response.statusCode !== 200) {
        await response.body.dump()
        throw new Error(`${address} responded with status ${response.statusCode}`)
      }
      let text = ''
      for await (const chunk of response.body.setEncoding('utf8') as AsyncIterable<string>) {
        text += chunk
        if (text.length > maxListBytes) throw new Error(`${address} is longer than ${maxListBytes / 1e6} MB`)
      }
      return text
    }),
  )
}

/** Compiles lists in a worker thread, since this takes seconds of CPU time. */
async function compile(texts: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
  const worker = new Worker(new URL(`./ad-list-worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: texts,
    env: threadEnvironment(),
  })
  const compiled = Promise.withResolvers<Uint8Array>()
  const onAbort = (): void => compiled.reject(signal.reason as Error)
  worker.once('message', compiled.resolve).once('error', compiled.reject)
  worker.once('exit', () => compiled.reject(new Error('The thread that compiles the ad block lists exited')))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await compiled.promise
  } finally {
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

function toBlocker(engine: FiltersEngine, AdRequest: typeof Request): Blocker {
  return {
    isAd: ({ url, pageUrl, type }) =>
      engine.match(AdRequest.fromRawDetails({ url, sourceUrl: pageUrl, type: kindOf(type) })).match,
  }
}

const kinds = ['stylesheet', 'image', 'media', 'font', 'script', 'xhr', 'fetch', 'websocket', 'ping'] as const

function kindOf(type: string): (typeof kinds)[number] | 'subFrame' | 'other' {
  const lower = type.toLowerCase()
  return lower === 'document' ? 'subFrame' : (kinds.find((kind) => kind === lower) ?? 'other')
}
