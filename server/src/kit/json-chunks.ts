/** Characters per chunk. Serializing and encoding one takes about a millisecond. */
const chunkLength = 262_144

/**
 * Whether serializing a value at once would block the event loop for more than a few milliseconds.
 */
export function isLongJson(value: unknown): boolean {
  return remainingLength(value, chunkLength * 4) < 0
}

/** Estimates the length of a value as JSON, in characters. */
export function jsonLength(value: unknown): number {
  return Number.MAX_SAFE_INTEGER - remainingLength(value, Number.MAX_SAFE_INTEGER)
}

/**
 * Serializes a value as JSON in chunks, so that the caller can yield to the event loop between
 * them.
 */
export function* jsonChunks(value: unknown): Generator<string> {
  let chunk = ''
  for (const token of jsonTokens(value)) {
    chunk += token
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Splits a string into chunks without splitting surrogate pairs. */
export function* textChunks(text: string): Generator<string> {
  let start = 0
  while (start < text.length) {
    const end = start + chunkLength
    const last = text.charCodeAt(end - 1)
    const isHalf = end < text.length && last >= 0xd800 && last <= 0xdbff
    yield text.slice(start, isHalf ? end - 1 : end)
    start = isHalf ? end - 1 : end
  }
}

function* jsonTokens(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > chunkLength) {
    yield '"'
    for (const chunk of textChunks(value)) yield JSON.stringify(chunk).slice(1, -1)
    yield '"'
  } else if (!isContainer(value)) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    let separator = '['
    for (const each of value) {
      yield separator
      yield* jsonTokens(each)
      separator = ','
    }
    yield separator === '[' ? '[]' : ']'
  } else yield* members(value)
}

function* members(value: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '{'
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined || typeof each === 'function' || typeof each === 'symbol') continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* jsonTokens(each)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/**
 * Estimates how many of `maxLength` characters remain after a value. Stops early once none remain.
 */
function remainingLength(value: unknown, maxLength: number): number {
  if (typeof value === 'string') return maxLength - value.length
  if (!isContainer(value)) return maxLength - 4
  let left = maxLength
  for (const key in value) {
    left = remainingLength(value[key], left - 2)
    if (left < 0) return left
  }
  return left
}

/**
 * Whether a value serializes as an array or object. Values with `toJSON`, such as dates, do not.
 */
function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
}
