import { BowlineError } from 'bowline/kit/errors'
import { isFileName } from 'bowline/kit/file-name'

const maxDepth = 32

/**
 * Splits a relative path of a client into its parts. Throws BAD_REQUEST if one of them could leave
 * the folder.
 */
export function splitPath(name: string): readonly string[] {
  const parts = name.split(/[/\\]/)
  if (parts.length <= maxDepth && parts.every(isFileName)) return parts
  throw new BowlineError('BAD_REQUEST', `${JSON.stringify(name.slice(0, 200))} is not a file name`, {
    hint: 'Use a name, or a relative path without "..", whose parts have at most 255 bytes and no control characters.',
  })
}
