import type { ConsoleLine } from '../../cdp/console-line.ts'
import type { HarEntry } from '../har-types.ts'
import { Details } from './details.ts'
import { find, make, toClock, toSize } from './find.ts'
import { copyText, momentLink, readMoment, writeMoment } from './moment-link.ts'
import { drawMarks, type Mark } from './marks.ts'
import { Playback } from './playback.ts'
import { readRecorded } from './recorded.ts'
import { RowList, type NewRow } from './row-list.ts'

const skipMs = 5000
const copiedMs = 2000

const elements = {
  video: find<HTMLVideoElement>('video'),
  noVideo: find<HTMLElement>('.video .empty'),
  play: find<HTMLButtonElement>('#play'),
  time: find<HTMLInputElement>('#time'),
  clock: find<HTMLElement>('#clock'),
  marks: find<HTMLElement>('#marks'),
  speed: find<HTMLSelectElement>('#speed'),
  follow: find<HTMLInputElement>('#follow'),
  link: find<HTMLButtonElement>('#link'),
}
const recorded = readRecorded()
const playback = new Playback(elements.video, recorded.endMs - recorded.startMs, {
  onTime: showTime,
  onPlaying: (isPlaying) => {
    elements.play.textContent = isPlaying ? 'Pause' : 'Play'
    if (!isPlaying) writeMoment(playback.nowMs)
  },
})
const details = new Details()
let lists: readonly RowList[] = []

function showTime(nowMs: number): void {
  const { time, clock, follow } = elements
  time.value = String(nowMs)
  time.setAttribute('aria-valuetext', `${Math.floor(nowMs / 1000)} of ${Math.ceil(playback.lengthMs / 1000)} seconds`)
  clock.textContent = `${toClock(nowMs)} / ${toClock(playback.lengthMs)}`
  for (const list of lists) list.setTime(nowMs, { follow: follow.checked })
}

/** Moves to a time that the user chose. */
function seek(ms: number): void {
  playback.seek(ms)
  writeMoment(playback.nowMs)
}

function requestRow(entry: HarEntry): NewRow {
  const { startedDateTime, time, request, response, _resourceType: type } = entry
  const atMs = Date.parse(startedDateTime) - recorded.startMs
  const isError = response.status >= 400 || response._error !== undefined
  return {
    atMs,
    className: isError ? 'error' : '',
    kinds: isError ? [type, 'failed'] : [type],
    text: `${request.method} ${request.url} ${response.status} ${response._error ?? ''}`,
    cells: [
      make('span', 'status', String(response.status || '—')),
      make('span', 'text', `${request.method} ${request.url}`),
      make('span', 'size', toSize(response.content.size)),
      timelineBar(atMs, time),
    ],
    onChoose: () => {
      seek(atMs)
      details.showRequest(entry, atMs)
    },
  }
}

function consoleRow(line: ConsoleLine): NewRow {
  const { time, level, text, url = '' } = line
  const atMs = Date.parse(time) - recorded.startMs
  return {
    atMs,
    className: level,
    kinds: [level],
    text: `${text} ${url}`,
    cells: [make('span', 'text', text)],
    onChoose: () => {
      seek(atMs)
      details.showLine(line, atMs)
    },
  }
}

/** A bar that shows when a request started and ended. */
function timelineBar(fromMs: number, lengthMs: number): Element {
  const line = make('span', 'timeline')
  const bar = make('i', '')
  const percent = (ms: number): string => `${(100 * ms) / Math.max(1, playback.lengthMs)}%`
  bar.style.left = percent(fromMs)
  bar.style.width = percent(lengthMs)
  line.append(bar)
  return line
}

/** The pages, console errors and failed requests, on the timeline. */
function marksOf(consoleRows: readonly NewRow[], requestRows: readonly NewRow[]): readonly Mark[] {
  const atKind = (rows: readonly NewRow[], wanted: string, kind: Mark['kind']): readonly Mark[] =>
    rows.filter(({ kinds }) => kinds.includes(wanted)).map(({ atMs }) => ({ atMs, kind }))
  return [
    ...recorded.pagesMs.map((ms) => ({ atMs: ms - recorded.startMs, kind: 'navigation' as const })),
    ...atKind(consoleRows, 'error', 'error'),
    ...atKind(requestRows, 'failed', 'failed'),
  ]
}

function listenToControls(): void {
  const { play, time, speed, link } = elements
  play.addEventListener('click', () => playback.toggle())
  time.addEventListener('input', () => playback.seek(Number(time.value)))
  time.addEventListener('change', () => writeMoment(playback.nowMs))
  time.addEventListener('keydown', (event) => {
    const steps = {
      ArrowLeft: -1000,
      ArrowDown: -1000,
      ArrowRight: 1000,
      ArrowUp: 1000,
      PageDown: -10_000,
      PageUp: 10_000,
    }
    const step = steps[event.key as keyof typeof steps]
    if (step === undefined) return
    event.preventDefault()
    seek(playback.nowMs + step)
  })
  speed.addEventListener('change', () => playback.setSpeed(Number(speed.value)))
  link.addEventListener('click', () => void copyLink())
  addEventListener('hashchange', () => playback.seek(readMoment() ?? playback.nowMs))
  addEventListener('keydown', pressShortcut)
}

/** Space plays and pauses, J and L skip. Controls that use these keys keep them. */
function pressShortcut(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || !(target instanceof Element)) return
  if (target.matches('input:not([type=range], [type=checkbox]), select')) return
  if (key === ' ' && !target.matches('button, [type=checkbox]')) playback.toggle()
  else if (key === 'j') seek(playback.nowMs - skipMs)
  else if (key === 'l') seek(playback.nowMs + skipMs)
  else return
  event.preventDefault()
}

async function copyLink(): Promise<void> {
  const { link } = elements
  link.textContent = (await copyText(momentLink(playback.nowMs))) ? 'Copied' : 'Not copied'
  setTimeout(() => {
    link.textContent = 'Copy link'
  }, copiedMs)
}

/** Time of the first row. Without rows, the start. */
function firstMs(rows: readonly NewRow[]): number {
  return rows.reduce((first, { atMs }) => Math.min(first, atMs), rows[0]?.atMs ?? 0)
}

async function start(): Promise<void> {
  const { video, noVideo, play, time } = elements
  if (recorded.video !== undefined) await playback.load(recorded.video, recorded.startMs)
  video.hidden = recorded.video === undefined
  noVideo.hidden = recorded.video !== undefined
  time.max = String(Math.ceil(playback.lengthMs))
  const consoleRows = (recorded.lines ?? []).map(consoleRow)
  const requestRows = (recorded.entries ?? []).map(requestRow)
  lists = [
    new RowList(
      find('.console'),
      consoleRows,
      recorded.lines === undefined ? 'The console was not recorded' : 'No messages',
    ),
    new RowList(
      find('.network'),
      requestRows,
      recorded.entries === undefined ? 'Requests were not recorded' : 'No requests',
    ),
  ]
  drawMarks(elements.marks, marksOf(consoleRows, requestRows), playback.lengthMs)
  const startMs = readMoment() ?? (await playback.findPainted(firstMs([...consoleRows, ...requestRows])))
  listenToControls()
  playback.seek(startMs)
  play.disabled = time.disabled = playback.lengthMs === 0
}

await start()
