import { z } from 'zod'
import type { Route } from 'bowline/contract/routes'
import { describeUnknownKey, findUnknownKeys } from 'bowline/contract/unknown-keys'
import { joinNames } from 'bowline/contract/validation-issues'

/** Keys with the name of the calling program, which clients add to every body. */
const clientKeys: ReadonlySet<string> = new Set(['origin', 'integration'])

/** Schema of the body of routes that read none. */
const noKeys = z.object({})

/** Returns a warning with the unknown keys of a body, or `undefined` if there are none. */
export function unknownKeysWarning(route: Route, body: unknown): string | undefined {
  const schema = route.body ?? (route.streams === undefined ? noKeys : z.unknown())
  const keys = findUnknownKeys(schema, body).filter(({ path }) => !clientKeys.has(path))
  if (keys.length === 0) return undefined
  return `Unknown ${keys.length === 1 ? 'key was' : 'keys were'} ignored: ${joinNames(keys.map(describeUnknownKey))}.`
}

/** Appends a warning to the `warning` of a response. */
export function withWarning<Answer>(answer: Answer, warning: string | undefined): Answer {
  if (warning === undefined || typeof answer !== 'object' || answer === null) return answer
  const before = 'warning' in answer && typeof answer.warning === 'string' ? `${answer.warning} ` : ''
  return { ...answer, warning: before + warning }
}
