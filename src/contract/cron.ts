/** Fields of a cron expression. In the last field, 0 and 7 are Sunday. */
const fields = [
  { name: 'minute', min: 0, max: 59, maxStep: 60 },
  { name: 'hour', min: 0, max: 23, maxStep: 24 },
  { name: 'day of month', min: 1, max: 31, maxStep: 31 },
  { name: 'month', min: 1, max: 12, maxStep: 12 },
  { name: 'day of week', min: 0, max: 7, maxStep: 7 },
] as const

type Field = (typeof fields)[number]

/** Minimum number of minutes between two runs of a schedule. */
export const minIntervalMinutes = 5

const names: Readonly<Record<string, readonly string[]>> = {
  month: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  'day of week': ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
}

/** Replaces names of months and weekdays (`JAN`, `mon-fri`) with numbers, and collapses spaces. */
export function normalizeCron(cron: string): string {
  return cron
    .split(/\s+/)
    .map((text, index) => {
      const field = fields[index]
      const known = field === undefined ? undefined : names[field.name]
      if (field === undefined || known === undefined) return text
      return text.replaceAll(/(-?)([a-z]+)/gi, (all, dash: string, name: string) => {
        const position = known.indexOf(name.toLowerCase())
        if (position < 0) return all
        // A range of weekdays that ends on Sunday ends on day 7.
        return dash + String(dash === '-' && field.name === 'day of week' ? position || 7 : position + field.min)
      })
    })
    .join(' ')
}

/** Validates a cron expression. Returns the problem, or undefined if it is valid. */
export function cronProblem(cron: string): string | undefined {
  const texts = cron.split(/\s+/)
  if (texts.length !== fields.length) {
    return `A cron expression must have five fields (minute, hour, day of month, month, day of week), got ${texts.length}`
  }
  const values: (readonly number[])[] = []
  for (const [index, field] of fields.entries()) {
    const found = valuesOf(texts[index] ?? '', field)
    if (typeof found === 'string') return found
    values.push(found)
  }
  if (shortestGap(values[0] ?? [], values[1] ?? []) < minIntervalMinutes) {
    return `Monitor schedule must not run more often than every ${minIntervalMinutes} minutes`
  }
  return undefined
}

/** Returns the number of runs of a cron expression on a day that it selects. */
export function runsPerDay(cron: string): number {
  const parts = cron.split(/\s+/)
  const [minutes, hours] = [fields[0], fields[1]].map((field, index) => valuesOf(parts[index] ?? '', field))
  return typeof minutes === 'object' && typeof hours === 'object' ? minutes.length * hours.length : 0
}

function valuesOf(text: string, { name, min, max, maxStep }: Field): readonly number[] | string {
  const found = new Set<number>()
  for (const item of text.split(',')) {
    const match = /^(?:\*|(?<first>\d{1,2})(?:-(?<last>\d{1,2}))?)(?:\/(?<step>\d{1,2}))?$/.exec(item)
    if (match === null)
      return `"${item}" is not a valid ${name} of a cron expression. Use ${names[name] === undefined ? 'numbers' : 'numbers, three-letter names'}, *, lists, ranges and steps`
    const { first, last, step } = match.groups ?? {}
    if (step !== undefined && first !== undefined && last === undefined) {
      return `"${item}" is not a valid ${name} of a cron expression: a step must follow * or a range`
    }
    const from = first === undefined ? min : Number(first)
    const to = first === undefined ? max : Number(last ?? first)
    const stride = Number(step ?? 1)
    if (from < min || to > max || from > to) {
      return `"${item}" is not a valid ${name} of a cron expression. It must be from ${min} to ${max}`
    }
    if (stride < 1 || stride > maxStep) {
      return `"${item}" is not a valid ${name} of a cron expression. The step must be from 1 to ${maxStep}`
    }
    for (let value = from; value <= to; value += stride) found.add(value)
  }
  return [...found].toSorted((left, right) => left - right)
}

/** Returns the shortest time between two runs in minutes, for runs on consecutive days. */
function shortestGap(minutes: readonly number[], hours: readonly number[]): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute))
  const [first = 0] = times
  const gaps = times.map((time, index) => (times[index + 1] ?? first + 24 * 60) - time)
  return Math.min(...gaps)
}
