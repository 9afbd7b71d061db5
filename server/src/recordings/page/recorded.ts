import type { ConsoleLine } from '../../cdp/console-line.ts'
import type { HarEntry } from '../har-types.ts'

/** The video, in base64, and when it starts. */
export interface RecordedVideo {
  readonly base64: string
  readonly startMs: number
}

/** Everything that the page contains. Times are milliseconds since the epoch. */
export interface Recorded {
  /** `undefined` if requests were not recorded. */
  readonly entries: readonly HarEntry[] | undefined
  /** `undefined` if the console was not recorded. */
  readonly lines: readonly ConsoleLine[] | undefined
  readonly video: RecordedVideo | undefined
  /** Starts of the pages that tabs loaded. */
  readonly pagesMs: readonly number[]
  readonly startMs: number
  /** End of the last request or message. The video may be longer. */
  readonly endMs: number
}

interface HarLog {
  readonly entries: readonly HarEntry[]
  readonly pages?: readonly { readonly startedDateTime: string }[]
}

/** Reads the recordings from the script elements of the page. */
export function readRecorded(): Recorded {
  const elements = [...document.querySelectorAll<HTMLScriptElement>('script[data-name]')]
  const sources = new Map(
    elements.map(({ dataset, textContent }) => [
      dataset['name'] ?? '',
      { text: textContent, startMs: Number(dataset['start']) },
    ]),
  )
  const [har, console, webm] = ['har.json', 'console.jsonl', 'video.webm'].map((name) => sources.get(name))
  const log = har && (JSON.parse(har.text) as { readonly log: HarLog }).log
  const entries = log?.entries
  const lines = console && parseLines(console.text)
  const timesMs = [
    ...(entries ?? []).map((entry) => Date.parse(entry.startedDateTime)),
    ...(lines ?? []).map((line) => Date.parse(line.time)),
    ...(webm === undefined ? [] : [webm.startMs]),
  ]
  // Without any, the recording has no length and begins when it was started.
  if (timesMs.length === 0) timesMs.push([...sources.values()][0]?.startMs ?? 0)
  const startMs = extreme(timesMs, (one, other) => one < other)
  const endsMs = (entries ?? []).map((entry) => Date.parse(entry.startedDateTime) + entry.time)
  return {
    entries,
    lines,
    pagesMs: (log?.pages ?? []).map((page) => Date.parse(page.startedDateTime)),
    video: webm && { base64: webm.text, startMs: webm.startMs },
    startMs,
    endMs: extreme([...timesMs, ...endsMs], (one, other) => one > other),
  }
}

function parseLines(text: string): readonly ConsoleLine[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as ConsoleLine)
}

/** Not `Math.min(...)`: the number of arguments is limited. */
function extreme(values: readonly number[], isBetter: (one: number, other: number) => boolean): number {
  return values.reduce((best, value) => (isBetter(value, best) ? value : best))
}
