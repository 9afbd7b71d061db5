import { BowlineError } from 'bowline/kit/errors'
import { endOfJsonString } from '../kit/end-of-json-string.ts'
import { shorten } from 'bowline/contract/validation-issues'

/** Limits of a JSON body. Even a megabyte of brackets is expensive to parse. */
const limits = { depth: 200, items: 100_000, keys: 10_000, values: 500_000 } as const

/**
 * Parses a JSON body. Throws BAD_REQUEST_INVALID_JSON for malformed JSON. Throws BAD_REQUEST for
 * more than 200 levels of nesting, 500,000 values, 100,000 items in an array or 10,000 keys in an
 * object.
 */
export function parseJsonBody(text: string): unknown {
  assertBounded(text)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new BowlineError('BAD_REQUEST_INVALID_JSON', 'Bad request, malformed JSON', { cause })
  }
}

interface Container {
  readonly name: string
  readonly isArray: boolean
  /** Number of items or keys, minus one. */
  commas: number
}

const quote = 0x22
const comma = 0x2c

/**
 * Checks the limits before anything is allocated. Malformed JSON passes, since parsing it fails
 * anyway.
 */
function assertBounded(text: string): void {
  const open: Container[] = []
  let values = 0
  let lastString: readonly [start: number, end: number] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfJsonString(text, at)
      lastString = [at + 1, end]
      at = end
    } else if (code === comma) {
      values += 1
      const container = open.at(-1)
      if (container !== undefined) container.commas += 1
      if (container !== undefined && container.commas >= (container.isArray ? limits.items : limits.keys)) {
        throw tooMany(container)
      }
    } else if (code === 0x5b || code === 0x7b) {
      values += 1
      if (open.length >= limits.depth) {
        throw new BowlineError('BAD_REQUEST', `The body is nested deeper than ${limits.depth} levels`)
      }
      const above = open.at(-1)
      const name = above === undefined ? '' : above.isArray ? above.name : text.slice(...lastString)
      open.push({ name, isArray: code === 0x5b, commas: 0 })
    } else if (code === 0x5d || code === 0x7d) open.pop()
    if (values > limits.values) {
      throw new BowlineError('BAD_REQUEST', `The body has more than ${limits.values.toLocaleString('en')} values`)
    }
  }
}

function tooMany({ name, isArray }: Container): BowlineError {
  const what = name === '' ? 'The body' : `\`${shorten(name, 100)}\``
  const limit = isArray ? `${limits.items.toLocaleString('en')} items` : `${limits.keys.toLocaleString('en')} keys`
  return new BowlineError('BAD_REQUEST', `Bad Request: ${what} has more than ${limit}`)
}
