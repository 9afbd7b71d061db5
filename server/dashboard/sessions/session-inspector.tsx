import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { countOf, formatBytes, formatDuration } from '../components/format.ts'
import { Tabs } from '../components/tabs.tsx'
import {
  InspectionWatch,
  type Inspected,
  type InspectedMessage,
  type InspectedRequest,
} from '../live/watch-inspection.ts'

const console = 'Console'
const network = 'Network'
const nothing: Inspected = { messages: [], requests: [] }

/** The console messages and requests of a live session, as they happen. */
export function SessionInspector({ interactiveLiveViewUrl }: { readonly interactiveLiveViewUrl: string }) {
  const [inspected, setInspected] = useState(nothing)
  const [chosen, setChosen] = useState<typeof console | typeof network>(console)
  const [text, setText] = useState('')
  const [onlyErrors, setOnlyErrors] = useState(false)
  useEffect(() => {
    const watch = new InspectionWatch(interactiveLiveViewUrl, setInspected)
    return () => watch[Symbol.dispose]()
  }, [interactiveLiveViewUrl])
  const wanted = text.trim().toLowerCase()
  const matches = (row: InspectedMessage | InspectedRequest): boolean =>
    (!onlyErrors || isError(row)) && textOf(row).toLowerCase().includes(wanted)
  const all = chosen === console ? inspected.messages : inspected.requests
  const shown = all.filter(matches)
  return (
    <section class="inspector" aria-label="Console and network">
      <div class="inspector-bar">
        <Tabs label="Console and network" names={[console, network]} chosen={chosen} onChoose={setChosen} />
        <input
          type="search"
          placeholder="Filter"
          aria-label={`Filter the ${chosen.toLowerCase()}`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={onlyErrors}
            onChange={(event) => setOnlyErrors(event.currentTarget.checked)}
          />
          Errors
        </label>
      </div>
      <FollowingList label={chosen} newest={shown.at(-1)?.number}>
        {shown.map((row) =>
          'text' in row ? <MessageRow key={row.number} row={row} /> : <RequestRow key={row.number} row={row} />,
        )}
      </FollowingList>
      <p class="faint">{describeCount(chosen, shown.length, all.length)}</p>
    </section>
  )
}

function describeCount(chosen: typeof console | typeof network, shown: number, all: number): string {
  const count = countOf(all, chosen === console ? 'message' : 'request')
  if (all === 0) return chosen === console ? 'No messages yet' : 'No requests since this page was opened'
  return shown === all ? count : `${shown} of ${count}`
}

interface FollowingListProps {
  /** Accessible name. */
  readonly label: string
  /** Number of the last row. */
  readonly newest: number | undefined
  readonly children: ComponentChildren
}

/** Pixels from the end within which a list follows new rows. */
const followPixels = 40

/** A list that stays at its end while the reader has not scrolled up. */
function FollowingList({ label, newest, children }: FollowingListProps) {
  const list = useRef<HTMLOListElement>(null)
  const isFollowing = useRef(true)
  useLayoutEffect(() => {
    if (isFollowing.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [newest, label])
  return (
    <ol
      ref={list}
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < followPixels
      }}
    >
      {children}
    </ol>
  )
}

function MessageRow({ row }: { readonly row: InspectedMessage }) {
  const { atMs, level, text, url, line } = row
  return (
    <li data-level={isError(row) ? 'error' : level}>
      <time title={new Date(atMs).toLocaleString()}>{timeOf(atMs)}</time>
      <span class="text" title={url === '' ? undefined : `${url}${line === undefined ? '' : `:${line}`}`}>
        {text}
      </span>
    </li>
  )
}

function RequestRow({ row }: { readonly row: InspectedRequest }) {
  const { atMs, method, url, kind, status, error, durationMs, bytes } = row
  const details = [kind, durationMs === undefined ? '' : formatDuration(durationMs), bytes ? formatBytes(bytes) : '']
  return (
    <li data-level={isError(row) ? 'error' : 'log'}>
      <time title={new Date(atMs).toLocaleString()}>{timeOf(atMs)}</time>
      <span class="text">
        <b>{status ?? (error === undefined ? '…' : 'failed')}</b> {method} {url}
        <small>{[...details, error ?? ''].filter((each) => each !== '').join(' · ')}</small>
      </span>
    </li>
  )
}

function isError(row: InspectedMessage | InspectedRequest): boolean {
  return 'text' in row
    ? row.level === 'error' || row.level === 'assert'
    : row.error !== undefined || (row.status ?? 0) >= 400
}

function textOf(row: InspectedMessage | InspectedRequest): string {
  return 'text' in row ? `${row.text} ${row.level}` : `${row.method} ${row.url} ${row.kind} ${row.status ?? ''}`
}

function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString(undefined, { hour12: false })
}
