/** What stands between two spaces of a text, as `to_tsvector` reads it. */
export interface TextChunk {
  /** How many places it takes; words that say nothing take one, too. */
  readonly positions: number
  /** Its words in quotes as PostgreSQL writes them, each with its place from 1 on. */
  readonly words: readonly (readonly [word: string, position: number])[]
}

/** Ends each part. No language takes it for a form of another word, or for one that says nothing. */
const mark = 'qzx'

/** PostgreSQL counts no further, and no more places of one word. */
const maxPosition = 16_383
const maxPositions = 255

/** Cuts a text into parts that mean the same wherever they stand: spaces end all that PostgreSQL knows but tags. */
export function splitText(text: string): readonly string[] {
  const tag = /<[^\s\d=]/.exec(text)
  if (tag === null) return text.split(' ').filter((chunk) => chunk !== '')
  const restAt = text.lastIndexOf(' ', tag.index) + 1
  return [...splitText(text.slice(0, restAt)), text.slice(restAt)]
}

/** Whether a part must be read alone, without a mark: it might take that in, or has one of its own. */
export function needsOwnVector(chunk: string): boolean {
  return chunk.includes('<') || chunk.toLowerCase().includes(mark)
}

/** Parts as one text, to be read at once. */
export function joinChunks(chunks: readonly string[]): string {
  return chunks.map((chunk) => ` ${chunk}${needsOwnVector(chunk) ? '' : ` ${mark}`}`).join('')
}

/** Takes the vector of joined parts apart. Undefined: it does not show where each of them ends. */
export function splitVector(vector: string, chunks: readonly string[]): readonly TextChunk[] | undefined {
  const words = readVector(vector)
  if (chunks.length === 1 && needsOwnVector(chunks[0] ?? '')) return [whole(words)]
  const ends = words.get(`'${mark}'`) ?? []
  if (ends.length !== chunks.length) return chunks.length === 1 ? [whole(words)] : undefined
  const read = ends.map((end, index) => ({
    positions: end - (ends[index - 1] ?? 0) - 1,
    words: [] as [string, number][],
  }))
  for (const [word, positions] of words) {
    if (word === `'${mark}'`) continue
    let index = 0
    for (const position of positions) {
      while (index < ends.length - 1 && (ends[index] ?? 0) < position) index += 1
      read[index]?.words.push([word, position - (ends[index - 1] ?? 0)])
    }
  }
  return read
}

/** The vector of a text of these parts, in the form that PostgreSQL takes. */
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

function readVector(vector: string): ReadonlyMap<string, readonly number[]> {
  const found = vector.matchAll(/('(?:[^'\\]|''|\\\\)*'):([\d,]+)/g)
  return new Map(Array.from(found, ([, word = '', positions = '']) => [word, positions.split(',').map(Number)]))
}

/** The words of a part without its end: what says nothing at its end takes no place. */
function whole(words: ReadonlyMap<string, readonly number[]>): TextChunk {
  const all = [...words].flatMap(([word, positions]) => positions.map((position): [string, number] => [word, position]))
  return { positions: all.reduce((most, [, position]) => Math.max(most, position), 0), words: all }
}
