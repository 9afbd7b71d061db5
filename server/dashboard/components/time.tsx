import { formatAbout, formatDuration, formatTime } from './format.ts'
import { useNow } from './now.ts'

/** How long ago something was; the exact time shows on hovering. */
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

/** How long it is until something, counted down; the exact time shows on hovering. */
export function Left({ time }: { readonly time: string | undefined }) {
  const now = useNow(1000)
  if (time === undefined) return <span class="faint">–</span>
  const seconds = Math.ceil((Date.parse(time) - now) / 1000)
  return (
    <time dateTime={time} title={formatTime(time)}>
      {seconds > 0 ? formatDuration(seconds * 1000) : '0 s'}
    </time>
  )
}
