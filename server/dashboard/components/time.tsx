import { useContext } from 'preact/hooks'
import { formatAgo, formatDuration, formatNext, formatShortTime, formatTime } from './format.ts'
import { TimeStyleContext } from './time-style.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  readonly time: string | null | undefined
  /** Text if there is no time. Default: a dash. */
  readonly none?: string
}

/** A time as the user has chosen: relative such as `2 min ago`, or exact. */
export function Ago(props: TimeProps) {
  return <ShownTime {...props} intervalMs={5000} format={formatAgo} />
}

/** When something starts next, such as `in 2 min`. Names what is late as due. */
export function Next(props: TimeProps) {
  return <ShownTime {...props} intervalMs={5000} format={formatNext} />
}

/** A countdown such as `2 min 5 s` with the text `after`, or `until` and the exact time. */
export function TimeLeft({ time, after = '' }: { readonly time: string | undefined; readonly after?: string }) {
  const format = (ms: number): string => formatLeft(ms) + after
  return <ShownTime time={time} intervalMs={1000} format={format} exactPrefix="until " />
}

interface ShownTimeProps extends TimeProps {
  /** Interval at which a relative time is updated. */
  readonly intervalMs: number
  /** Formats the milliseconds since the time. */
  readonly format: (ms: number) => string
  /** Text before an exact time. */
  readonly exactPrefix?: string
}

function ShownTime({ time, none = '–', intervalMs, format, exactPrefix = '' }: ShownTimeProps) {
  const now = useNow(intervalMs)
  const style = useContext(TimeStyleContext)
  if (time === undefined || time === null) return <span class="faint">{none}</span>
  const relative = format(now - Date.parse(time))
  return (
    <time dateTime={time} data-style={style} title={style === 'exact' ? relative : formatTime(time)}>
      {style === 'exact' ? exactPrefix + formatShortTime(time, now) : relative}
    </time>
  )
}

function formatLeft(ms: number): string {
  const seconds = Math.ceil(-ms / 1000)
  return seconds > 0 ? formatDuration(seconds * 1000) : '0 s'
}
