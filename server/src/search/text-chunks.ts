/** Lexemes of a chunk of text between two spaces, as `to_tsvector` returns them. */
export interface TextChunk {
  /** Number of positions, including those of stop words. */
  readonly positions: number
  /** Lexemes, quoted by PostgreSQL, with their positions from 1. */
  readonly words: readonly (readonly [word: string, position: number])[]
}

/** Separator after each chunk. It is neither stemmed nor a stop word in any language. */
const separator = 'qzx'

/** Highest position in a `tsvector`. */
const maxPosition = 16_383

/** Maximum positions per lexeme in a `tsvector`. */
const maxPositions = 255

/**
 * Splits a text into chunks whose lexemes do not depend on their context. Spaces end every token of
 * PostgreSQL's parser except tags, so the text from the first tag on is one chunk.
 */
export function splitText(text: string): readonly string[] {
  const tag = /<[^\s\d=]/.exec(text)
  if (tag === null) return text.split(' ').filter((chunk) => chunk !== '')
  const tagStart = text.lastIndexOf(' ', tag.index) + 1
  return [...splitText(text.slice(0, tagStart)), text.slice(tagStart)]
}

/** Whether a chunk must be parsed alone: it could swallow the separator, or contains it. */
export function needsOwnVector(chunk: string): boolean {
  return chunk.includes('<') || chunk.toLowerCase().includes(separator)
}

/** Joins chunks into one text, with separators. */
export function joinChunks(chunks: readonly string[]): string {
  return chunks.map((chunk) => ` ${chunk}${needsOwnVector(chunk) ? '' : ` ${separator}`}`).join('')
}

/**
 * Splits the vector of joined chunks. Returns `undefined` if the separators do not match the
 * chunks.
 */
export function splitVector(vector: string, chunks: readonly string[]): readonly TextChunk[] | undefined {
  const words = parseVector(vector)
  if (chunks.length === 1 && needsOwnVector(chunks[0] ?? '')) return [singleChunk(words)]
  const ends = words.get(`'${separator}'`) ?? []
  if (ends.length !== chunks.length) return chunks.length === 1 ? [singleChunk(words)] : undefined
  const read = ends.map((end, index) => ({
    positions: end - (ends[index - 1] ?? 0) - 1,
    words: [] as [string, number][],
  }))
  for (const [word, positions] of words) {
    if (word === `'${separator}'`) continue
    let index = 0
    for (const position of positions) {
      while (index < ends.length - 1 && (ends[index] ?? 0) < position) index += 1
      read[index]?.words.push([word, position - (ends[index - 1] ?? 0)])
    }
  }
  return read
}

/** Joins the lexemes of chunks into the text form of a `tsvector`. */
export function joinVector(chunks: readonly TextChunk[]): string {
  const all = new Map<string, number[]>()
  let before = 0
  for (const chunk of chunks) {
    for (const [word, position] of chunk.words) {
      const positions = all.get(word)
      const at = Math.min(before + position, maxPosition)
      if (positions === undefined) all.set(word, [at])
      else if (positions.length < maxPositions) positions.push(at)
    }
    before += chunk.positions
  }
  return [...all].map(([word, positions]) => `${word}:${positions.join(',')}`).join(' ')
}

function parseVector(vector: string): ReadonlyMap<string, readonly number[]> {
  const found = vector.matchAll(/('(?:[^'\\]|''|\\\\)*'):([\d,]+)/g)
  return new Map(Array.from(found, ([, word = '', positions = '']) => [word, positions.split(',').map(Number)]))
}

/** Returns a chunk without a separator. Its length ignores trailing stop words. */
function singleChunk(words: ReadonlyMap<string, readonly number[]>): TextChunk {
  const all = [...words].flatMap(([word, positions]) => positions.map((position): [string, number] => [word, position]))
  return { positions: all.reduce((most, [, position]) => Math.max(most, position), 0), words: all }
}
