const units = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1000, name: 's' },
] as const

const [day, hour, minute, second] = units

/** Pairs of units. A duration that is as long as the large one, rounded to `by`, has both. */
const pairs = [
  { large: day, small: hour, by: minute },
  { large: hour, small: minute, by: second },
  { large: minute, small: second, by: second },
] as const

/** Formats a duration in at most two units, such as `5.9 s` or `2 min 5 s`, rounded. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < second.ms) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.round(ms / 100) / 10
  if (seconds < 60) return `${seconds} ${second.name}`
  const { large, small } = pairs.find((pair) => Math.round(ms / pair.by.ms) * pair.by.ms >= pair.large.ms) ?? pairs[2]
  const count = Math.round(ms / small.ms)
  const perLarge = large.ms / small.ms
  const rest = count % perLarge
  return `${Math.floor(count / perLarge)} ${large.name}${rest === 0 ? '' : ` ${rest} ${small.name}`}`
}

/** Formats a duration in its largest unit, such as `2 min`. */
export function formatAbout(ms: number): string {
  const unit = units.find((each) => ms >= each.ms)
  return unit === undefined ? '0 s' : `${Math.floor(ms / unit.ms)} ${unit.name}`
}

const nowMs = 5000

/** Formats a time relative to now, such as `2 min ago` or `in 2 min`. */
export function formatAgo(ms: number): string {
  if (Math.abs(ms) < nowMs) return 'just now'
  return ms < 0 ? `in ${formatAbout(-ms)}` : `${formatAbout(ms)} ago`
}

/** Formats when something starts, such as `in 2 min` or, if it is late, `was due 2 min ago`. */
export function formatNext(ms: number): string {
  if (Math.abs(ms) < nowMs) return 'now'
  return ms < 0 ? formatAgo(ms) : `was due ${formatAgo(ms)}`
}

/** Formats a date and time in the user's locale. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** Formats a date and time in few letters: without the year if it is the current one. */
export function formatShortTime(time: string, nowMs: number): string {
  const date = new Date(time)
  const isThisYear = date.getFullYear() === new Date(nowMs).getFullYear()
  return date.toLocaleString(undefined, {
    ...(isThisYear ? {} : { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
  })
}

/** Formats a day such as `Nov 21` in UTC, like billing. */
export function formatDay(seconds: number): string {
  return new Date(seconds * 1000).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })
}

/** Formats a number with separators, such as `12,345`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 })
}

/** Formats a number of bytes, such as `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(names.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${names[power] ?? ''}`
}

/** Formats a count with its noun, such as `1 page` or `2 pages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}
