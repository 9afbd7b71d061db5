interface Timed {
  readonly atMs: number
  readonly element: HTMLElement
}

function find<Found extends Element>(selector: string): Found {
  const found = document.querySelector<Found>(selector)
  if (found === null) throw new Error(`The page has no ${selector}`)
  return found
}

const sources = new Map(
  [...document.querySelectorAll<HTMLScriptElement>('script[data-name]')].map((script) => [
    script.dataset['name'] ?? '',
    { text: script.textContent, startMs: Number(script.dataset['start']) },
  ]),
)

function make(tag: string, className: string, text = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

interface Entry {
  readonly startedDateTime: string
  readonly time: number
  readonly request: { readonly method: string; readonly url: string }
  readonly response: { readonly status: number; readonly _error?: string; readonly content: { readonly size: number } }
}

interface Line {
  readonly time: string
  readonly level: string
  readonly text: string
}

const har = sources.get('har.json')
const consoleLog = sources.get('console.jsonl')
const recordedVideo = sources.get('video.webm')
const entries =
  har === undefined ? [] : (JSON.parse(har.text) as { readonly log: { readonly entries: Entry[] } }).log.entries
const lines = (consoleLog?.text ?? '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Line)
const timesMs = [
  ...entries.map((entry) => Date.parse(entry.startedDateTime)),
  ...lines.map((line) => Date.parse(line.time)),
]
// Not `Math.min(...)`: the number of arguments is limited.
const startMs = [recordedVideo?.startMs ?? Infinity, ...timesMs].reduce((one, other) => (other < one ? other : one))
const entryEndsMs = entries.map((entry) => Date.parse(entry.startedDateTime) + entry.time)
let endMs = [...timesMs, ...entryEndsMs].reduce((one, other) => (other > one ? other : one), startMs + 1)

const video = find<HTMLVideoElement>('video')
const button = find<HTMLButtonElement>('button')
const range = find<HTMLInputElement>('input')
const clock = find<HTMLOutputElement>('output')
const timed: Timed[] = []
/** Number of entries in `timed` before the current time. */
let passedCount = 0
let nowMs = 0
let isPlaying = false

function toText(ms: number): string {
  // Rounds first. Otherwise 59.97 s would be shown as 60.0 s.
  const tenths = Math.round(ms / 100)
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`
}

function toSize(bytes: number): string {
  return bytes < 1000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
}

function show(): void {
  range.value = String(nowMs)
  clock.textContent = toText(nowMs)
  // Updates only passed rows: there may be tens of thousands, and this runs on every frame.
  for (let next = timed[passedCount]; next !== undefined && next.atMs <= nowMs; next = timed[(passedCount += 1)]) {
    next.element.classList.remove('later')
  }
  for (
    let last = timed[passedCount - 1];
    last !== undefined && last.atMs > nowMs;
    last = timed[(passedCount -= 1) - 1]
  ) {
    last.element.classList.add('later')
  }
}

function seek(ms: number): void {
  nowMs = Math.max(0, Math.min(ms, endMs - startMs))
  const videoMs = nowMs + startMs - (recordedVideo?.startMs ?? 0)
  if (recordedVideo !== undefined) video.currentTime = Math.max(0, videoMs / 1000)
  show()
}

function addRow(list: HTMLElement, atMs: number, kind: string, cells: readonly Element[]): void {
  const row = make('li', `${kind} later`.trim())
  row.append(make('time', '', toText(atMs)), ...cells)
  row.addEventListener('click', () => seek(atMs))
  list.append(row)
  timed.push({ atMs, element: row })
}

function timelineBar(fromMs: number, lengthMs: number): Element {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'timeline')
  svg.setAttribute('viewBox', '0 0 1000 10')
  svg.setAttribute('preserveAspectRatio', 'none')
  const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  const scale = 1000 / (endMs - startMs)
  bar.setAttribute('x', String(fromMs * scale))
  bar.setAttribute('y', '2')
  bar.setAttribute('height', '6')
  bar.setAttribute('width', String(Math.max(3, lengthMs * scale)))
  svg.append(bar)
  return svg
}

function fill(): void {
  const requests = find<HTMLElement>('.network ol')
  for (const { startedDateTime, time, request, response } of entries) {
    const atMs = Date.parse(startedDateTime) - startMs
    const kind = response.status >= 400 || response._error !== undefined ? 'error' : ''
    addRow(requests, atMs, kind, [
      make('span', 'status', String(response.status || '—')),
      make('span', 'text', `${request.method} ${request.url}`),
      make('span', 'size', toSize(response.content.size)),
      timelineBar(atMs, time),
    ])
  }
  const console = find<HTMLElement>('.console ol')
  for (const { time, level, text } of lines) {
    addRow(console, Date.parse(time) - startMs, level, [make('span', 'text', text)])
  }
  timed.sort((one, other) => one.atMs - other.atMs)
}

function play(shouldPlay: boolean): void {
  isPlaying = shouldPlay
  button.textContent = shouldPlay ? 'Pause' : 'Play'
  if (shouldPlay && nowMs >= endMs - startMs) seek(0)
  let lastMs = performance.now()
  const step = (atMs: number): void => {
    if (!isPlaying) return
    const next = nowMs + atMs - lastMs
    lastMs = atMs
    if (next >= endMs - startMs) return play(false)
    seek(next)
    requestAnimationFrame(step)
  }
  if (shouldPlay) requestAnimationFrame(step)
}

function start(): void {
  range.max = String(Math.ceil(endMs - startMs))
  fill()
  seek(0)
}

find<HTMLElement>('.empty').hidden = recordedVideo !== undefined
video.hidden = recordedVideo === undefined
button.addEventListener('click', () => play(!isPlaying))
range.addEventListener('input', () => seek(Number(range.value)))
addEventListener('keydown', (event) => {
  if (event.key !== ' ' || event.target === button) return
  event.preventDefault()
  play(!isPlaying)
})
if (recordedVideo === undefined) start()
else {
  const bytes = Uint8Array.from(atob(recordedVideo.text), (letter) => letter.charCodeAt(0))
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/webm' }))
  const begin = (): void => {
    if (Number.isFinite(video.duration)) endMs = Math.max(endMs, recordedVideo.startMs + video.duration * 1000)
    start()
  }
  video.addEventListener('loadedmetadata', begin, { once: true })
  video.addEventListener('error', begin, { once: true })
}
