import { isError } from './is-error.ts'

/** Returns the message of a thrown value: that of an error, or any other value as a string. */
export function messageOf(thrown: unknown): string {
  return isError(thrown) ? thrown.message : String(thrown)
}
