import { areaNames, type ElementContext } from './element-context.ts'
import type { Layout } from './layout.ts'

/** Blocks of fewer words are kept: an answer, a refrain or a label can occur twice. */
const minWords = 20

/** A quote from the text is one text. A block for another screen size usually has more. */
const minTextsOfSameName = 3

const areasWithRepeats = (1 << areaNames.indexOf('table')) | (1 << areaNames.indexOf('pre'))

/** The kept texts of an element. */
interface Block {
  readonly context: ElementContext
  /** Positions of the first text and after the last one, among the kept texts. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the selection without blocks that repeat an earlier one verbatim in another style: copies
 * for other screen sizes, and quotes from the text. What repeats in the same style, in tables or in
 * code is content.
 */
export function withoutCopies(layout: Layout, isKept: readonly boolean[]): readonly boolean[] {
  const kept = [...layout.leaves.keys()].filter((index) => isKept[index] === true)
  const texts = new KeptTexts(kept.map((index) => layout.leaves[index]?.text ?? ''))
  const result = [...isKept]
  const originals = new Map<string, Block>()
  for (const block of findBlocks(layout, kept)) {
    const indexes = kept.slice(block.start, block.end)
    if (indexes.some((index) => result[index] === false)) continue
    const key = texts.keyOf(block)
    const original = originals.get(key)
    if (original === undefined) originals.set(key, block)
    else if (isCopy(block, original) && indexes.reduce((sum, index) => sum + wordsOf(layout, index), 0) >= minWords)
      for (const index of indexes) result[index] = false
  }
  return result
}

function wordsOf({ facts }: Layout, index: number): number {
  return facts[index]?.words ?? 0
}

function isCopy({ context, start, end }: Block, original: Block): boolean {
  if (start < original.end || (context.areas & areasWithRepeats) !== 0) return false
  if (context.element.name === original.context.element.name && end - start < minTextsOfSameName) return false
  return context.signature !== original.context.signature || context.isHidden !== original.context.isHidden
}

/**
 * Returns the elements with kept texts, in the order of their texts. Of several elements with the
 * same texts, it returns the outermost one.
 */
function findBlocks({ contexts, elements }: Layout, kept: readonly number[]): readonly Block[] {
  const starts = new Int32Array(elements.length).fill(-1)
  const ends = new Int32Array(elements.length)
  for (const [at, index] of kept.entries()) {
    for (let up = contexts[index]; up !== undefined; up = up.parent) {
      if (starts[up.index] === -1) starts[up.index] = at
      ends[up.index] = at + 1
    }
  }
  return elements
    .map((context, index) => ({ context, start: starts[index] ?? -1, end: ends[index] ?? 0 }))
    .filter(({ start }) => start !== -1)
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter(({ start, end }, index, blocks) => start !== blocks[index - 1]?.start || end !== blocks[index - 1]?.end)
}

/** Kept texts in document order, with keys of their parts in constant time. */
class KeptTexts {
  readonly #hashes: readonly PrefixHash[]

  constructor(texts: readonly string[]) {
    const ids = new Map<string, number>()
    for (const text of texts) if (!ids.has(text)) ids.set(text, ids.size + 1)
    const numbers = texts.map((text) => ids.get(text) ?? 0)
    this.#hashes = factors.map((factor) => new PrefixHash(numbers, factor))
  }

  /** Returns a key that parts have in common only if their texts are the same. */
  keyOf({ start, end }: Pick<Block, 'start' | 'end'>): string {
    return [end - start, ...this.#hashes.map((hash) => hash.of(start, end))].join(' ')
  }
}

// Two hashes of 32 bits, since one is the same for different texts too often.
const factors = [1_000_003, 69_069]

/** Polynomial hash of the parts of a list of numbers. */
class PrefixHash {
  readonly #sums: Int32Array
  readonly #powers: Int32Array

  constructor(numbers: readonly number[], factor: number) {
    this.#sums = new Int32Array(numbers.length + 1)
    this.#powers = new Int32Array(numbers.length + 1).fill(1)
    for (const [index, number] of numbers.entries()) {
      this.#sums[index + 1] = Math.imul(this.#sums[index] ?? 0, factor) + number
      this.#powers[index + 1] = Math.imul(this.#powers[index] ?? 1, factor)
    }
  }

  of(start: number, end: number): number {
    return ((this.#sums[end] ?? 0) - Math.imul(this.#sums[start] ?? 0, this.#powers[end - start] ?? 1)) | 0
  }
}
