import { BowlineError } from 'bowline/kit/errors'
import { isFileName } from 'bowline/kit/file-name'

const deepest = 32

/** The parts of a relative path a client named, checked: none can leave its folder. Throws BAD_REQUEST. */
export function pathParts(name: string): readonly string[] {
  const parts = name.split(/[/\\]/)
  if (parts.length <= deepest && parts.every(isFileName)) return parts
  throw new BowlineError('BAD_REQUEST', `${JSON.stringify(name.slice(0, 200))} is not a file name`, {
    hint: 'Use a name, or a relative path without "..", whose parts have at most 255 bytes and no control characters.',
  })
}
