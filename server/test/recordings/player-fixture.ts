import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Readable } from 'node:stream'
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import type { ConsoleLine } from '../../src/cdp/console-line.ts'
import type { HarEntry } from '../../src/recordings/har-types.ts'
import { createPlayer } from '../../src/recordings/player.ts'
import type { RecordingRow } from '../../src/recordings/recording-details.ts'
import { vp8OfWebp, WebmWriter } from '../../src/recordings/webm.ts'

/** When the recordings of the fixture start. */
export const startedAtMs = Date.parse('2026-01-02T03:04:05.000Z')

/** Recordings to put into a player. */
export interface Played {
  readonly entries?: readonly HarEntry[]
  readonly lines?: readonly ConsoleLine[]
  /** When tabs started to load pages, after the start of the recording. */
  readonly pagesMs?: readonly number[]
  /** Length of a video that starts after 1 s and shows another grey every 100 ms. */
  readonly videoMs?: number
  /** Length of the white start of the video. Default: 0. */
  readonly blankMs?: number
}

/** A player opened from disk, in a browser context of its own. */
export interface OpenPlayer extends AsyncDisposable {
  readonly page: Page
  /** Errors of scripts and of the Content-Security-Policy. */
  readonly errors: readonly string[]
  /** The current time in milliseconds. */
  readonly time: () => Promise<number>
}

/** A browser that opens players. */
export interface PlayerFixture extends AsyncDisposable {
  readonly open: (played: Played, options?: BrowserContextOptions & { readonly hash?: string }) => Promise<OpenPlayer>
}

/** Starts a browser and makes the frames of the video in it. */
export async function openPlayerFixture(): Promise<PlayerFixture> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-player-'))
  undo.defer(async () => rm(folder, { recursive: true, force: true }))
  const browser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox', '--disable-gpu'] })
  undo.defer(async () => browser.close())
  const blank = await browser.newPage()
  const frames = await blank.evaluate<readonly string[]>(drawFrames)
  await blank.close()
  const player = createPlayer()
  let count = 0
  const opened = undo.move()
  return {
    open: async (played, { hash = '', ...options } = {}) => {
      const path = join(folder, `${(count += 1)}.html`)
      const rows = Object.entries(toFiles(played, frames))
      const artifacts = {
        read: async ({ name }: { readonly name: string }) => Readable.from([new Map(rows).get(name)?.contents]),
      }
      const details = rows.map(([name, { contentType, startMs }]) => ({
        name,
        details: { contentType, startedAtMs: startMs },
      }))
      const session = { id: '0b6f7d5a', name: 'Nightly export' }
      const pages = player.pageOf(
        artifacts as unknown as Artifacts,
        details as unknown as readonly RecordingRow[],
        session,
      )
      await writeFile(path, pages)
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      const errors: string[] = []
      page.on('console', (message) => errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(error.message))
      await page.goto(`${pathToFileURL(path).href}${hash}`)
      await page.getByText('/ 0:').waitFor()
      return {
        page,
        errors,
        time: async () => Number(await page.getByLabel('Time').inputValue()),
        [Symbol.asyncDispose]: async () => context.close(),
      }
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

/** A request that starts `atMs` after the recording. */
export function requestAt(atMs: number, path: string, change: Partial<HarEntry['response']> = {}): HarEntry {
  const isImage = path.endsWith('.png')
  const timings = { blocked: 1, dns: -1, connect: -1, ssl: -1, send: 1, wait: 20, receive: 3 }
  return {
    startedDateTime: new Date(startedAtMs + atMs).toISOString(),
    time: 25,
    request: {
      method: 'GET',
      url: `https://shop.example${path}?page=2`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'accept', value: '*/*' }],
      queryString: [{ name: 'page', value: '2' }],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'content-type', value: isImage ? 'image/png' : 'application/json' }],
      content: { size: 20, mimeType: 'application/json', text: '{"price":{"eur":12}}' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
      _transferSize: 120,
      ...change,
    },
    cache: {},
    timings,
    _resourceType: isImage ? 'image' : 'fetch',
  }
}

/** A message of the console, `atMs` after the start of the recording. */
export function lineAt(atMs: number, level: string, text: string): ConsoleLine {
  const time = new Date(startedAtMs + atMs).toISOString()
  return { time, source: 'console', level, text, url: 'https://shop.example/app.js', line: 4, column: 2 }
}

interface File {
  readonly contentType: string
  readonly startMs: number
  readonly contents: Buffer
}

function toFiles(
  { entries, lines, pagesMs = [], videoMs, blankMs = 0 }: Played,
  frames: readonly string[],
): Readonly<Record<string, File>> {
  const file = (contentType: string, text: string): File => ({
    contentType,
    startMs: startedAtMs,
    contents: Buffer.from(text),
  })
  const jsonLines = lines?.map((line) => `${JSON.stringify(line)}\n`).join('')
  const pages = pagesMs.map((ms) => ({ startedDateTime: new Date(startedAtMs + ms).toISOString() }))
  return {
    ...(entries && { 'har.json': file('application/json', JSON.stringify({ log: { pages, entries } })) }),
    ...(jsonLines !== undefined && { 'console.jsonl': file('application/x-ndjson', jsonLines) }),
    ...(videoMs !== undefined && {
      'video.webm': {
        contentType: 'video/webm',
        startMs: startedAtMs + 1000,
        contents: toVideo({ videoMs, blankMs }, frames),
      },
    }),
  }
}

const frameMs = 100

interface VideoLength {
  readonly videoMs: number
  readonly blankMs: number
}

function toVideo({ videoMs: lengthMs, blankMs }: VideoLength, frames: readonly string[]): Buffer {
  const parts: Buffer[] = []
  const writer = new WebmWriter((bytes) => void parts.push(bytes))
  for (let atMs = 0; atMs < lengthMs; atMs += frameMs) {
    const image = Buffer.from(frames[atMs < blankMs ? greys : (atMs / frameMs) % greys]!, 'base64')
    writer.add(vp8OfWebp(image)!, atMs)
  }
  const patches = writer.finish(lengthMs) ?? []
  const video = Buffer.concat(parts)
  for (const { position, bytes } of patches) bytes.copy(video, position)
  return video
}

const greys = 16

/** Returns images in WebP of the greys and of white, in base64. */
const drawFrames = `(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
  const context = canvas.getContext('2d')
  return Array.from({ length: ${greys + 1} }, (_, index) => {
    context.fillStyle = 'rgb(' + [index, index, index].map((grey) => Math.min(255, grey * 16)).join() + ')'
    context.fillRect(0, 0, 320, 180)
    return canvas.toDataURL('image/webp', 0.8).split(',')[1]
  })
})()`
