import { setImmediate as nextTurn } from 'node:timers/promises'
import { BowlineError } from 'bowline/kit/errors'
import { escapeHtml } from '../kit/escape-html.ts'
import { charactersPerStep, SpellingSearch } from './spelling-search.ts'

/**
 * Replaces typed values by `<secret>NAME</secret>`, in the spellings that URLs, forms, JSON and
 * HTML give them. Other encodings, such as base64, are not recognized. Takes linear time in the
 * text, whatever the number of values.
 */
export class SecretMask {
  /** Replacements by spelling. */
  readonly #masks = new Map<string, string>()
  /** Characters of all spellings. */
  #length = 0
  /** Finds the spellings. Built when it is needed. */
  #search: SpellingSearch | undefined

  /** Whether no value is masked. */
  get isEmpty(): boolean {
    return this.#masks.size === 0
  }

  /** Masks a value from now on. Throws SECRET_REFUSED if the values are too long in total. */
  add(name: string, value: string): void {
    const spellings = [...spellingsOf(value)].filter((spelling) => spelling !== '')
    const added = spellings.filter((spelling) => !this.#masks.has(spelling))
    const length = added.reduce((sum, spelling) => sum + spelling.length, this.#length)
    if (length > maxSpelledCharacters) {
      throw new BowlineError('SECRET_REFUSED', 'The secrets typed in this session are too long to be masked together', {
        hint: 'Type the secret in another session.',
      })
    }
    this.#length = length
    for (const spelling of spellings) this.#masks.set(spelling, `<secret>${name}</secret>`)
    this.#search = undefined
  }

  /** Masks all values in a text, also where the text or a line of it ends within a value. */
  apply(text: string): string {
    if (this.isEmpty) return text
    const steps = this.#maskInSteps(text)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
  }

  /** Does the same as `apply`, with a turn for other work after each part of the text. */
  async applyInTurns(text: string): Promise<string> {
    if (this.isEmpty) return text
    const steps = this.#maskInSteps(text)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
      await nextTurn()
    }
  }

  /** Masks all texts in a value of JSON. Objects of classes, such as buffers, stay as they are. */
  applyToJson<Value>(value: Value): Value {
    if (this.isEmpty) return value
    if (typeof value === 'string') return this.apply(value) as Value
    if (Array.isArray(value)) return value.map((item: unknown) => this.applyToJson(item)) as Value
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, this.applyToJson(field)])) as Value
  }

  *#maskInSteps(text: string): Generator<undefined, string> {
    this.#search ??= new SpellingSearch([...this.#masks.keys()])
    // Values that are typed meanwhile belong to later texts.
    const search = this.#search
    return yield* this.#maskCut(yield* this.#maskWhole(text, search), search)
  }

  /** Masks whole values, from left to right and the longest one at each position. */
  *#maskWhole(text: string, search: SpellingSearch): Generator<undefined, string> {
    const { starts, spellings } = yield* search.findAll(text)
    const parts: string[] = []
    let from = 0
    for (let index = starts.length - 1; index >= 0; index--) {
      if (index % charactersPerStep === 0) yield
      const start = starts[index] ?? 0
      const spelling = spellings[index] ?? ''
      if (start < from) continue
      parts.push(text.slice(from, start), this.#masks.get(spelling) ?? '')
      from = start + spelling.length
    }
    return parts.join('') + text.slice(from)
  }

  /**
   * Masks prefixes of values in front of an ellipsis or the end of a line, and suffixes of values
   * behind an ellipsis: the console of Chromium leaves out the middle of long texts.
   */
  *#maskCut(text: string, search: SpellingSearch): Generator<undefined, string> {
    const parts: string[] = []
    let from = 0
    let written = 0
    let work = 0
    const mask = (start: number, spelling: string, length: number): void => {
      parts.push(text.slice(written, start), this.#masks.get(spelling) ?? '')
      written = start + length
    }
    for (const at of endsOfLines(text)) {
      if (text[from] === '…') {
        const rest = search.restAfter(text, from + 1, at)
        if (rest !== undefined) mask(from + 1, rest.spelling, rest.length)
      }
      const cut = search.cutBefore(text, Math.max(from, written), at)
      if (cut !== undefined) mask(at - cut.length, cut.spelling, cut.length)
      work += costPerLine + Math.min(at - from, search.maxLength)
      from = at
      if (work < charactersPerStep) continue
      yield
      work = 0
    }
    return parts.join('') + text.slice(written)
  }
}

/** Characters of all spellings that are searched for. They need about 40 bytes each. */
const maxSpelledCharacters = 500_000

/** Work of a line, in characters. */
const costPerLine = 10

/** Yields where lines end or an ellipsis follows, and the end of the text. */
function* endsOfLines(text: string): Generator<number> {
  let line = text.indexOf('\n')
  let ellipsis = text.indexOf('…')
  while (line !== -1 || ellipsis !== -1) {
    const isLine = ellipsis === -1 || (line !== -1 && line < ellipsis)
    yield isLine ? line : ellipsis
    if (isLine) line = text.indexOf('\n', line + 1)
    else ellipsis = text.indexOf('…', ellipsis + 1)
  }
  yield text.length
}

function spellingsOf(value: string): ReadonlySet<string> {
  const encoded = encodeURIComponent(value)
  const inJson = JSON.stringify(value).slice(1, -1)
  return new Set([
    value,
    // As snapshots show it.
    value.replaceAll(/\s+/g, ' ').trim(),
    value.replaceAll(/\s+/g, ' ').trim().replaceAll('"', "'"),
    encoded,
    encoded.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
    new URLSearchParams({ value }).toString().slice('value='.length),
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    escapeHtml(value),
    // As browsers serialize texts and attributes.
    escapeHtml(value).replaceAll('&#39;', "'"),
    escapeHtml(value).replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
  ])
}
