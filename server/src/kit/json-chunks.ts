/** Characters of a piece: turning one into JSON and into bytes takes about a millisecond. */
const chunkLength = 262_144

/** Whether the JSON of a value is so long that writing it at once would block the thread for longer than some milliseconds. */
export function isLongJson(value: unknown): boolean {
  return roomLeft(value, chunkLength * 4) < 0
}

/** Writes a value as JSON in pieces, so that a caller can yield between two of them. */
export function* jsonChunks(value: unknown): Generator<string> {
  let piece = ''
  for (const part of deps(value)) {
    piece += part
    if (piece.length < chunkLength) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

/** A text in pieces that do not split a surrogate pair. */
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

function* deps(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > chunkLength) {
    yield '"'
    for (const piece of textChunks(value)) yield JSON.stringify(piece).slice(1, -1)
    yield '"'
  } else if (!isContainer(value)) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    let mark = '['
    for (const each of value) {
      yield mark
      yield* deps(each)
      mark = ','
    }
    yield mark === '[' ? '[]' : ']'
  } else yield* members(value)
}

function* members(value: Readonly<Record<string, unknown>>): Generator<string> {
  let mark = '{'
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined || typeof each === 'function' || typeof each === 'symbol') continue
    yield `${mark}${JSON.stringify(key)}:`
    yield* deps(each)
    mark = ','
  }
  yield mark === '{' ? '{}' : '}'
}

/** How many of `room` characters are left after a value. Stops where none are. */
function roomLeft(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length
  if (!isContainer(value)) return room - 4
  let left = room
  for (const key in value) {
    left = roomLeft(value[key], left - 2)
    if (left < 0) return left
  }
  return left
}

/** Whether a value has members that JSON shows: a date, among others, is written as a text. */
function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
}
