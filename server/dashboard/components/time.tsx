import { formatAgo, formatDuration, formatNext, formatTime } from './format.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  readonly time: string | null | undefined
  /** Text if there is no time. Default: a dash. */
  readonly none?: string
}

/** A relative time such as `2 min ago`, with the exact time as its tooltip. */
export function Ago(props: TimeProps) {
  return <RelativeTime {...props} format={formatAgo} />
}

/** When something starts next, such as `in 2 min`. Names what is late as due. */
export function Next(props: TimeProps) {
  return <RelativeTime {...props} format={formatNext} />
}

function RelativeTime({ time, none = '–', format }: TimeProps & { readonly format: (ms: number) => string }) {
  const now = useNow(5000)
  if (time === undefined || time === null) return <span class="faint">{none}</span>
  return (
    <time dateTime={time} title={formatTime(time)}>
      {format(now - Date.parse(time))}
    </time>
  )
}

/** A countdown to a time, with the exact time as its tooltip. */
export function TimeLeft({ time }: { readonly time: string | undefined }) {
  const now = useNow(1000)
  if (time === undefined) return <span class="faint">–</span>
  const seconds = Math.ceil((Date.parse(time) - now) / 1000)
  return (
    <time dateTime={time} title={formatTime(time)}>
      {seconds > 0 ? formatDuration(seconds * 1000) : '0 s'}
    </time>
  )
}
