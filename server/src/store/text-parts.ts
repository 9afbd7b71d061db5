/** What stands between two spaces of a text, as `to_tsvector` reads it. */
export interface TextPart {
  /** How many places it takes; words that say nothing take one, too. */
  readonly places: number
  /** Its words in quotes as PostgreSQL writes them, each with its place from 1 on. */
  readonly words: readonly (readonly [word: string, place: number])[]
}

/** Ends each part. No language takes it for a form of another word, or for one that says nothing. */
const mark = 'qzx'

/** PostgreSQL counts no further, and no more places of one word. */
const maxSlot = 16_383
const maxSlots = 255

/** Cuts a text into parts that mean the same wherever they stand: spaces end all that PostgreSQL knows but tags. */
export function splitText(text: string): readonly string[] {
  const tag = /<[^\s\d=]/.exec(text)
  if (tag === null) return text.split(' ').filter((part) => part !== '')
  const restAt = text.lastIndexOf(' ', tag.index) + 1
  return [...splitText(text.slice(0, restAt)), text.slice(restAt)]
}

/** Whether a part must be read alone, without a mark: it might take that in, or has one of its own. */
export function standsAlone(part: string): boolean {
  return part.includes('<') || part.toLowerCase().includes(mark)
}

/** Parts as one text, to be read at once. */
export function joinParts(parts: readonly string[]): string {
  return parts.map((part) => ` ${part}${standsAlone(part) ? '' : ` ${mark}`}`).join('')
}

/** Takes the vector of joined parts apart. Undefined: it does not show where each of them ends. */
export function takeApart(vector: string, parts: readonly string[]): readonly TextPart[] | undefined {
  const words = readVector(vector)
  if (parts.length === 1 && standsAlone(parts[0] ?? '')) return [whole(words)]
  const ends = words.get(`'${mark}'`) ?? []
  if (ends.length !== parts.length) return parts.length === 1 ? [whole(words)] : undefined
  const read = ends.map((end, index) => ({
    places: end - (ends[index - 1] ?? 0) - 1,
    words: [] as [string, number][],
  }))
  for (const [word, places] of words) {
    if (word === `'${mark}'`) continue
    let index = 0
    for (const place of places) {
      while (index < ends.length - 1 && (ends[index] ?? 0) < place) index += 1
      read[index]?.words.push([word, place - (ends[index - 1] ?? 0)])
    }
  }
  return read
}

/** The vector of a text of these parts, in the form that PostgreSQL takes. */
export function joinVector(parts: readonly TextPart[]): string {
  const all = new Map<string, number[]>()
  let before = 0
  for (const part of parts) {
    for (const [word, place] of part.words) {
      const places = all.get(word)
      const at = Math.min(before + place, maxSlot)
      if (places === undefined) all.set(word, [at])
      else if (places.length < maxSlots) places.push(at)
    }
    before += part.places
  }
  return [...all].map(([word, places]) => `${word}:${places.join(',')}`).join(' ')
}

function readVector(vector: string): ReadonlyMap<string, readonly number[]> {
  const found = vector.matchAll(/('(?:[^'\\]|''|\\\\)*'):([\d,]+)/g)
  return new Map(Array.from(found, ([, word = '', places = '']) => [word, places.split(',').map(Number)]))
}

/** The words of a part without its end: what says nothing at its end takes no place. */
function whole(words: ReadonlyMap<string, readonly number[]>): TextPart {
  const all = [...words].flatMap(([word, places]) => places.map((place): [string, number] => [word, place]))
  return { places: all.reduce((most, [, place]) => Math.max(most, place), 0), words: all }
}
