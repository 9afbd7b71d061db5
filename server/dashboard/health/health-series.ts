import type { RouteOutput } from 'bowline/contract/route-types'

/** The health of the servers over time. */
export type HealthHistory = RouteOutput<'healthHistory'>

type Point = HealthHistory['data'][number]['points'][number]

/** Values over time, with a line for each server. */
export interface Series {
  /** Seconds since the epoch, without gaps. */
  readonly times: readonly number[]
  /** `null` where a server has no sample. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

/** Arranges a value of the history by time and server. */
export function toSeries({ data, stepSeconds }: HealthHistory, read: (point: Point) => number): Series {
  const atSeconds = (point: Point): number => Date.parse(point.at) / 1000
  const all = data.flatMap(({ points }) => points.map(atSeconds))
  const first = all.reduce((least, at) => Math.min(least, at), Infinity)
  const last = all.reduce((most, at) => Math.max(most, at), -Infinity)
  const count = all.length === 0 ? 0 : Math.round((last - first) / stepSeconds) + 1
  const times = Array.from({ length: count }, (_, step) => first + step * stepSeconds)
  const lines = data.map((server) => {
    const values = new Map(server.points.map((point) => [atSeconds(point), read(point)]))
    return { name: nameOf(server), values: times.map((time) => values.get(time) ?? null) }
  })
  return { times, lines }
}

/** Name of a server: the host of its URL, or the start of its id. */
export function nameOf({ id, url }: Pick<HealthHistory['data'][number], 'id' | 'url'>): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : `${id.slice(0, 13)}…`
}

/**
 * The largest value of all servers, at the end and in the whole time. `undefined` without any.
 */
export function summarize({ lines }: Series): { readonly last: number; readonly most: number } | undefined {
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== null))
  if (all.length === 0) return undefined
  return {
    last: lines.reduce((most, { values }) => Math.max(most, values.at(-1) ?? 0), 0),
    most: all.reduce((most, value) => Math.max(most, value), 0),
  }
}
