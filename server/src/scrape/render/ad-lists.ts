import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { FiltersEngine, Request } from '@ghostery/adblocker'
import type { Agent } from 'undici'
import { randomSecret } from 'bowline/kit/ids'

/** Tells requests for advertisements and trackers by block lists. */
export interface AdLists extends AsyncDisposable {
  /** Whether there is anything to ask by now. */
  readonly isReady: () => boolean
  /** Whether a request is one that the lists block. `type` as the debugging protocol names it. */
  readonly isAd: (request: { readonly url: string; readonly pageUrl: string; readonly type: string }) => boolean
  /** The first loading, from the data directory or the network. Never rejects. */
  readonly loaded: Promise<void>
}

/** What ad lists are kept with. */
export interface AdListDeps {
  /** Addresses of lists in the syntax of EasyList. */
  readonly urls: readonly string[]
  readonly dataDir: string
  /** Makes connections to the addresses. */
  readonly dispatcher: Agent
  readonly onError: (error: unknown, what: string) => void
}

const dayMs = 24 * 60 * 60 * 1000

const maxListBytes = 50_000_000

/** Opens block lists: from the data directory when they were fetched within a day, else from their addresses; then daily again. */
export function openAdLists(deps: AdListDeps): AdLists {
  const stop = new AbortController()
  let blocker: Blocker | undefined
  const load = async (): Promise<void> => {
    try {
      blocker = await loadBlocker(deps, stop.signal)
    } catch (error) {
      if (!stop.signal.aborted) deps.onError(error, 'fetching the lists of advertisements')
    }
  }
  const loaded = load()
  const daily = setInterval(() => void load(), dayMs).unref()
  return {
    loaded,
    isReady: () => blocker !== undefined,
    isAd: (request) => blocker?.isAd(request) ?? false,
    [Symbol.asyncDispose]: async () => {
      clearInterval(daily)
      stop.abort()
      await loaded
    },
  }
}

interface Blocker {
  readonly isAd: AdLists['isAd']
}

async function loadBlocker(deps: AdListDeps, signal: AbortSignal): Promise<Blocker> {
  const { FiltersEngine: Engine, Request: AdRequest, ENGINE_VERSION } = await import('@ghostery/adblocker')
  const name = createHash('sha256')
    .update(JSON.stringify([ENGINE_VERSION, deps.urls]))
    .digest('hex')
    .slice(0, 16)
  const folder = join(deps.dataDir, 'ad-lists')
  const path = join(folder, `${name}.bin`)
  const known = await readKnown(path)
  if (known !== undefined && known.ageMs < dayMs) return toBlocker(Engine.deserialize(known.bytes), AdRequest)
  try {
    const bytes = await compile(await fetchLists(deps, signal), signal)
    await mkdir(folder, { recursive: true })
    const fresh = `${path}.${randomSecret().slice(0, 8)}`
    await writeFile(fresh, bytes)
    await rename(fresh, path)
    return toBlocker(Engine.deserialize(bytes), AdRequest)
  } catch (error) {
    if (known === undefined || signal.aborted) throw error
    // Yesterday's lists are better than none.
    deps.onError(error, 'renewing the lists of advertisements')
    return toBlocker(Engine.deserialize(known.bytes), AdRequest)
  }
}

async function readKnown(path: string): Promise<{ readonly bytes: Uint8Array; readonly ageMs: number } | undefined> {
  try {
    const { mtimeMs } = await stat(path)
    return { bytes: await readFile(path), ageMs: Date.now() - mtimeMs }
  } catch {
    return undefined
  }
}

async function fetchLists({ urls, dispatcher }: AdListDeps, signal: AbortSignal): Promise<readonly string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(120_000)])
  return Promise.all(
    urls.map(async (address) => {
      const { origin, pathname, search } = new URL(address)
      const answer = await dispatcher.request({ origin, path: pathname + search, method: 'GET', signal: limit })
      if (answer.statusCode !== 200) {
        await answer.body.dump()
        throw new Error(`${address} answered ${answer.statusCode}`)
      }
      let text = ''
      for await (const chunk of answer.body.setEncoding('utf8') as AsyncIterable<string>) {
        text += chunk
        if (text.length > maxListBytes) throw new Error(`${address} is longer than ${maxListBytes / 1e6} MB`)
      }
      return text
    }),
  )
}

/** Parses lists in a thread of its own: it takes seconds of processor time. */
async function compile(texts: readonly string[], signal: AbortSignal): Promise<Uint8Array> {
  const worker = new Worker(new URL(`./ad-list-worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: texts,
    env: {},
  })
  const made = Promise.withResolvers<Uint8Array>()
  const onAbort = (): void => made.reject(signal.reason as Error)
  worker.once('message', made.resolve).once('error', made.reject)
  worker.once('exit', () => made.reject(new Error('The thread that reads lists of advertisements ended')))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await made.promise
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
