import { BowlineError } from '../../kit/errors.ts'

const longestNameBytes = 255
const deepest = 32

/** The parts of a relative path a client named, checked: none can leave its folder. Throws BAD_REQUEST. */
export const pathParts = (name: string): readonly [string, ...string[]] => {
  const [first = '', ...rest] = name.split(/[/\\]/)
  const parts: readonly [string, ...string[]] = [first, ...rest]
  const isGood = parts.length <= deepest && parts.every(isPlain)
  if (isGood) return parts
  throw new BowlineError('BAD_REQUEST', `${JSON.stringify(name.slice(0, 200))} is not a file name`, {
    hint: 'Use a name, or a relative path without "..", whose parts have at most 255 bytes and no control characters.',
  })
}

const isPlain = (part: string): boolean =>
  !['', '.', '..'].includes(part) && !hasControls(part) && Buffer.byteLength(part) <= longestNameBytes

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)

/** A name that a site suggested, with what no file name can have replaced. */
export const tameName = (suggested: string): string => {
  const tame = suggested.replaceAll(/[/\\\p{Cc}]/gu, '_')
  return ['', '.', '..'].includes(tame) ? 'download' : tame.slice(0, longestNameBytes)
}

/** `name`, or `name (1)`, `name (2)` and so on before its extension: the first that is not taken. */
export const freeName = (name: string, isTaken: (name: string) => boolean): string => {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let count = 1; isTaken(free); count += 1) free = `${stem} (${count})${extension}`
  return free
}
