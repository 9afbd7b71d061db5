import { formatAbout, formatDuration, formatTime } from './format.ts'
import { useNow } from './use-now.ts'

/** A relative time such as `2 min ago`, with the exact time as its tooltip. */
export function Ago({ time }: { readonly time: string | null | undefined }) {
  const now = useNow(5000)
  if (time === undefined || time === null) return <span class="faint">–</span>
  const ms = now - Date.parse(time)
  const text = ms < 5000 && ms > -5000 ? 'just now' : ms < 0 ? `in ${formatAbout(-ms)}` : `${formatAbout(ms)} ago`
  return (
    <time dateTime={time} title={formatTime(time)}>
      {text}
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
