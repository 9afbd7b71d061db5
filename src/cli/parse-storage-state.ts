import { importStorageStateRequest, type StorageStateInput } from '../contract/profiles.ts'
import { findUnknownKeys } from '../contract/unknown-keys.ts'
import { shorten } from '../contract/validation-issues.ts'
import { BowlineError } from '../kit/errors.ts'

/**
 * Parses a `storageState` from a file. Throws BAD_REQUEST for any other JSON: an import would
 * replace the content of the profile with nothing.
 */
export function parseStorageState(text: string, file = 'the standard input'): StorageStateInput {
  const value = parseJson(text, file)
  const [unknown] = findUnknownKeys(importStorageStateRequest, value)
  if (unknown !== undefined) {
    const { path, suggestion } = unknown
    throw invalid(file, `\`${path}\` is unknown${suggestion === undefined ? '' : `: did you mean \`${suggestion}\`?`}`)
  }
  const { data, error } = importStorageStateRequest.safeParse(value)
  if (data !== undefined) return data
  const [issue] = error?.issues ?? []
  throw invalid(file, shorten([issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')), error)
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw invalid(file, 'not valid JSON', cause)
  }
}

function invalid(file: string, reason: string, cause?: unknown): BowlineError {
  return new BowlineError('BAD_REQUEST', `No valid storageState in ${file}: ${reason}`, {
    cause,
    hint: 'Create one with `bowline profiles export`, or in Playwright with `context.storageState({ path })`.',
  })
}
