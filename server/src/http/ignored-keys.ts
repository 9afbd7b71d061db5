import { z } from 'zod'
import type { Route } from 'bowline/contract/routes'
import { describeUnknownKey, findUnknownKeys, type UnknownKey } from 'bowline/contract/unknown-keys'
import { joinNames } from 'bowline/contract/validation-issues'
import { collectRecords } from './query-records.ts'

/** Keys with the name of the calling program, which clients add to every body. */
const clientKeys: ReadonlySet<string> = new Set(['origin', 'integration'])

/** Parameter with a token instead of a key, which the authorization reads. */
const accessToken = 'token'

/** Schema of the body of routes that read none. */
const noKeys = z.object({})

/** Returns a warning with the unknown keys of a body, or `undefined` if there are none. */
export function unknownKeysWarning(route: Route, body: unknown): string | undefined {
  const schema = route.body ?? (route.streams === undefined ? noKeys : z.unknown())
  return warningAbout(findUnknownKeys(schema, body), 'key')
}

/** Returns a warning with the unknown parameters of a query, or `undefined` if there are none. */
export function unknownParametersWarning({ query: schema = noKeys }: Route, query: unknown): string | undefined {
  const keys = findUnknownKeys(schema, collectRecords(schema, query)).filter(({ path }) => path !== accessToken)
  return warningAbout(keys, 'query parameter')
}

function warningAbout(unknown: readonly UnknownKey[], noun: string): string | undefined {
  const keys = unknown.filter(({ path }) => !clientKeys.has(path))
  if (keys.length === 0) return undefined
  const subject = keys.length === 1 ? `${noun} was` : `${noun}s were`
  return `Unknown ${subject} ignored: ${joinNames(keys.map(describeUnknownKey))}.`
}

/** Appends a warning to the `warning` of a response. */
export function withWarning<Response>(response: Response, warning: string | undefined): Response {
  if (warning === undefined || typeof response !== 'object' || response === null) return response
  const before = 'warning' in response && typeof response.warning === 'string' ? `${response.warning} ` : ''
  return { ...response, warning: before + warning }
}
