/** Characters of an excerpt, at most of each of its two passages. */
const passageLength = 140
const maxPassages = 2

/** Letters that a form of a word may have after its stem. */
const maxSuffix = 4

/** Options of `excerptOf`. */
export interface ExcerptOptions {
  /** Encloses found words in `**`. */
  readonly isMarked: boolean
}

/**
 * Returns the passages of a text with most of the words, which are given as stems. Empty if the
 * text has none of them.
 */
export function excerptOf(text: string, stems: readonly string[], { isMarked }: ExcerptOptions): string {
  const found = findWords(text, stems)
  const passages = choosePassages(text, found)
  return passages
    .map(({ start, end }) => {
      const passage = text.slice(start, end)
      const marked = isMarked ? markWords(passage, findWords(passage, stems)) : passage
      return marked.trim()
    })
    .join(' … ')
}

interface FoundWord {
  readonly start: number
  readonly end: number
  /** Position of its stem in the list. */
  readonly stem: number
}

function findWords(text: string, stems: readonly string[]): readonly FoundWord[] {
  const searched = stems.filter((stem) => stem !== '')
  const lower = text.toLowerCase()
  // A few letters become longer in lower case, which would shift the words behind them.
  const folded = lower.length === text.length ? lower : text
  if (searched.length === 0) return []
  const found: FoundWord[] = []
  for (const match of folded.matchAll(new RegExp(searched.map((stem) => `(${patternOf(stem)})`).join('|'), 'g'))) {
    const start = match.index
    const last = found.at(-1)
    if (last !== undefined && start < last.end) continue
    const end = endOfWord(folded, start, match[0])
    if (end !== undefined) found.push({ start, end, stem: match.slice(1).findIndex((group) => group !== undefined) })
  }
  return found
}

/** Returns the end of the word that begins with a stem, or undefined if it is another word. */
function endOfWord(text: string, start: number, stem: string): number | undefined {
  const end = start + stem.length
  if (unspaced.test(stem)) return end
  if (start > 0 && wordLetter.test(text.charAt(start - 1))) return undefined
  let suffix = 0
  while (end + suffix < text.length && wordLetter.test(text.charAt(end + suffix))) suffix += 1
  return suffix > maxSuffix ? undefined : end + suffix
}

const wordLetter = /[\p{L}\p{N}]/u
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Letters that stemmers replace, such as umlauts and a final "y". */
const variants: Readonly<Record<string, string>> = {
  a: '[aàáâãäå]',
  c: '[cç]',
  e: '[eèéêë]',
  i: '[iìíîïy]',
  n: '[nñ]',
  o: '[oòóôõö]',
  u: '[uùúûü]',
}

function patternOf(stem: string): string {
  return Array.from(stem, (letter) => variants[letter] ?? letter.replace(/[\^$\\.*+?()[\]{}|/]/, String.raw`\$&`)).join(
    '',
  )
}

interface Passage {
  readonly start: number
  readonly end: number
}

/** Chooses passages in which each next one adds the most words that those before it lack. */
function choosePassages(text: string, found: readonly FoundWord[]): readonly Passage[] {
  const chosen: Passage[] = []
  let rest = found
  const seen = new Set<number>()
  while (chosen.length < maxPassages) {
    const first = mostTelling(rest, seen)
    if (first === undefined) break
    const passage = passageFrom(text, first.start)
    const isInside = ({ start }: FoundWord): boolean => start >= passage.start && start < passage.end
    for (const word of rest.filter(isInside)) seen.add(word.stem)
    // Keeps away from the passage, so that the next one does not overlap it.
    rest = rest.filter(({ start, end }) => end + passageLength < passage.start || start > passage.end + leadLength)
    chosen.push(passage)
  }
  return chosen.toSorted((left, right) => left.start - right.start)
}

/** Returns the word that is followed by the most words that were not seen yet. */
function mostTelling(found: readonly FoundWord[], seen: ReadonlySet<number>): FoundWord | undefined {
  let best: { readonly word?: FoundWord; readonly count: number } = { count: 0 }
  for (const [index, word] of found.entries()) {
    const fresh = new Set<number>()
    for (let next = index; (found[next]?.end ?? Infinity) <= word.start + passageLength; next += 1) {
      const stem = found[next]?.stem ?? 0
      if (!seen.has(stem)) fresh.add(stem)
    }
    if (fresh.size > best.count) best = { word, count: fresh.size }
  }
  return best.word
}

/** Characters before a found word that are shown, from the start of its sentence or a word. */
const leadLength = 40

function passageFrom(text: string, wordStart: number): Passage {
  const before = text.slice(Math.max(0, wordStart - leadLength), wordStart)
  const sentence = Math.max(before.lastIndexOf('. '), before.lastIndexOf('! '), before.lastIndexOf('? '))
  const lead = wordStart <= leadLength ? before : before.slice(before.indexOf(' ') + 1)
  const start = wordStart - (sentence >= 0 ? before.length - sentence - 2 : lead.length)
  if (text.length - wordStart <= passageLength) return { start, end: text.length }
  const cut = text.lastIndexOf(' ', wordStart + passageLength)
  return { start, end: cut > wordStart ? cut : wordStart + passageLength }
}

function markWords(passage: string, found: readonly FoundWord[]): string {
  let marked = ''
  let last = 0
  for (const { start, end } of found) {
    marked += `${passage.slice(last, start)}**${passage.slice(start, end)}**`
    last = end
  }
  return marked + passage.slice(last)
}
