import type { StorageStateInput } from 'bowline/contract/profiles'
import { parseJson } from 'bowline/kit/parse-json'
import { ApiError } from '../api/api.ts'

/** Largest request of an import in bytes. */
const maxBytes = 10 * 1024 * 1024

/** Reads a `storageState` file of Playwright. Throws an `ApiError` for any other file. */
export async function readStorageState(file: File): Promise<StorageStateInput> {
  if (file.size > maxBytes) throw notAState(file, 'the file is larger than 10 MB')
  const value = parseJson(await file.text())
  if (value === undefined) throw notAState(file, 'the file is not JSON')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notAState(file, `the file must contain an object, not ${nameOf(value)}`)
  }
  const { cookies, origins } = value as Readonly<Record<string, unknown>>
  if (cookies === undefined && origins === undefined) throw notAState(file, 'it has neither “cookies” nor “origins”')
  for (const [name, list] of Object.entries({ cookies, origins })) {
    if (list !== undefined && !Array.isArray(list)) throw notAState(file, `“${name}” must be an array`)
  }
  return value
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`
}

function notAState({ name }: File, reason: string): ApiError {
  return new ApiError(0, {
    error: `${name} is not a storageState: ${reason}`,
    hint: 'Export one from a profile, or save one in Playwright with context.storageState({ path }).',
  })
}
