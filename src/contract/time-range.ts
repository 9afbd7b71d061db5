import { z } from 'zod'
import { dayMs } from '../kit/day-ms.ts'

const unitHours = { h: 1, d: 24, w: 168, m: 730, y: 8766 } as const

/** Time range of search results. */
export interface TimeRange {
  /** Unit and count of `qdr:`, such as `d` for a day. */
  readonly last?: { readonly unit: keyof typeof unitHours; readonly count: number } | undefined
  readonly from?: Date | undefined
  readonly until?: Date | undefined
}

/**
 * Schema of the time filter `tbs`: `qdr:h`, `d`, `w`, `m` or `y`, or
 * `cdr:1,cd_min:MM/DD/YYYY,cd_max:MM/DD/YYYY`. One end of a range can be absent.
 */
export const timeFilter = z
  .string()
  .max(100)
  .refine((text) => readTimeRange(text) !== undefined, {
    error:
      'must be qdr:h, qdr:d, qdr:w, qdr:m or qdr:y, or a date range such as cdr:1,cd_min:01/31/2026,cd_max:12/31/2026',
  })

/**
 * Parses a time filter relative to `nowMs`. Days are in UTC. Returns undefined for invalid filters.
 */
export function readTimeRange(tbs: string, nowMs: number = Date.now()): TimeRange | undefined {
  const fields = new Map(
    tbs.split(',').map((field) => {
      const [name = '', ...value] = field.trim().split(':')
      return [name, value.join(':')] as const
    }),
  )
  const qdr = fields.get('qdr')
  if (fields.size === 1 && qdr !== undefined) return readLast(qdr, nowMs)
  const isRange = fields.get('cdr') === '1' && [...fields.keys()].every((name) => /^(?:cdr|cd_min|cd_max)$/.test(name))
  return isRange ? readDays(fields.get('cd_min'), fields.get('cd_max')) : undefined
}

function readLast(text: string, nowMs: number): TimeRange | undefined {
  const [, unit, count = '1'] = /^([hdwmy])([1-9]\d{0,2})?$/.exec(text) ?? []
  if (unit === undefined) return undefined
  const last = { unit: unit as keyof typeof unitHours, count: Number(count) }
  return { last, from: new Date(nowMs - last.count * unitHours[last.unit] * 3_600_000) }
}

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
