import { z } from 'zod'

const unitHours = { h: 1, d: 24, w: 168, m: 730, y: 8766 } as const

/** When a page is to be from. */
export interface TimeRange {
  /** Such as `d` for a day: what was given as `qdr:`, and times how much. */
  readonly last?: { readonly unit: keyof typeof unitHours; readonly count: number } | undefined
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

/** The time filter `tbs`: `qdr:h`, `d`, `w`, `m` or `y`, or `cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY`, one end of which may be absent. */
export const timeFilter = z
  .string()
  .max(100)
  .refine((text) => readTimeRange(text) !== undefined, {
    error:
      'A time filter is qdr:h, qdr:d, qdr:w, qdr:m or qdr:y, or a range of days like cdr:1,cd_min:01/31/2026,cd_max:12/31/2026',
  })

/** What a time filter means now; undefined when it means nothing. Days are those of UTC, the last one included. */
export function readTimeRange(tbs: string, nowMs: number = Date.now()): TimeRange | undefined {
  const parts = new Map(
    tbs.split(',').map((part) => {
      const [name = '', ...value] = part.trim().split(':')
      return [name, value.join(':')] as const
    }),
  )
  const qdr = parts.get('qdr')
  if (parts.size === 1 && qdr !== undefined) return readLast(qdr, nowMs)
  const isRange = parts.get('cdr') === '1' && [...parts.keys()].every((name) => /^(?:cdr|cd_min|cd_max)$/.test(name))
  return isRange ? readDays(parts.get('cd_min'), parts.get('cd_max')) : undefined
}

function readLast(text: string, nowMs: number): TimeRange | undefined {
  const [, unit, count = '1'] = /^([hdwmy])([1-9]\d{0,2})?$/.exec(text) ?? []
  if (unit === undefined) return undefined
  const last = { unit: unit as keyof typeof unitHours, count: Number(count) }
  return { last, from: new Date(nowMs - last.count * unitHours[last.unit] * 3_600_000) }
}

const dayMs = 86_400_000

function readDays(min: string | undefined, max: string | undefined): TimeRange | undefined {
  const from = min === undefined ? undefined : readDay(min)
  const last = max === undefined ? undefined : readDay(max)
  if ((from ?? last) === undefined || from === null || last === null) return undefined
  if (from !== undefined && last !== undefined && from > last) return undefined
  return { from, until: last && new Date(last.getTime() + dayMs - 1) }
}

function readDay(text: string): Date | null {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date : null
}
