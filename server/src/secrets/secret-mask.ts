import { escapeHtml } from '../kit/escape-html.ts'
import { LinearSearch, overlapOf } from '../kit/linear-search.ts'

/**
 * Replaces typed values by `<secret>NAME</secret>`, in the spellings that URLs, forms, JSON and
 * HTML give them. Other encodings, such as base64, are not recognized.
 */
export class SecretMask {
  /** Replacements by spelling. */
  readonly #masks = new Map<string, string>()
  /** Searches by spelling, longest first: longer values can contain shorter ones. */
  #searches: ReadonlyMap<string, LinearSearch> = new Map()

  /** Whether no value is masked. */
  get isEmpty(): boolean {
    return this.#masks.size === 0
  }

  /** Masks a value from now on. */
  add(name: string, value: string): void {
    for (const spelling of spellingsOf(value)) this.#masks.set(spelling, `<secret>${name}</secret>`)
    const ordered = [...this.#masks.keys()].toSorted((left, right) => right.length - left.length)
    this.#searches = new Map(
      ordered.filter((spelling) => spelling !== '').map((spelling) => [spelling, new LinearSearch(spelling)]),
    )
  }

  /** Masks all values in a text, also where the text or a line of it ends within a value. */
  apply(text: string): string {
    return this.isEmpty ? text : this.#maskCut(this.#maskWhole(text))
  }

  /** Masks whole values. Unlike a regular expression, it takes linear time for any value. */
  #maskWhole(text: string): string {
    const next = new Map([...this.#searches].map(([spelling, search]) => [spelling, search.indexIn(text)]))
    const parts: string[] = []
    let from = 0
    for (;;) {
      let first: string | undefined
      for (const [spelling, at] of next) {
        const current = at !== -1 && at < from ? (this.#searches.get(spelling)?.indexIn(text, from) ?? -1) : at
        if (current === -1) next.delete(spelling)
        else if (current !== at) next.set(spelling, current)
        if (current !== -1 && (first === undefined || current < (next.get(first) ?? Infinity))) first = spelling
      }
      if (first === undefined) return parts.join('') + text.slice(from)
      const at = next.get(first) ?? from
      parts.push(text.slice(from, at), this.#masks.get(first) ?? '')
      from = at + first.length
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

  /**
   * Masks starts of values in front of a mark of omission or the end of a line, and ends of values
   * behind a mark of omission: the console of Chromium leaves out the middle of long texts.
   */
  #maskCut(text: string): string {
    const parts: string[] = []
    let from = 0
    for (const { index: at } of text.matchAll(/…|\n|$/g)) {
      const rest = text[from] === '…' ? this.#restAfter(text.slice(from + 1, at)) : undefined
      if (rest !== undefined) {
        parts.push(`…${rest.mask}`)
        from += 1 + rest.length
      }
      const cut = at - from < minCutLength ? undefined : this.#cutBefore(text.slice(from, at))
      if (cut !== undefined) parts.push(text.slice(from, at - cut.length), cut.mask)
      else if (at > from) parts.push(text.slice(from, at))
      from = at
    }
    return parts.join('') + text.slice(from)
  }

  #restAfter(line: string): Cut | undefined {
    for (const [spelling, mask] of this.#masks) {
      if (!line.slice(0, spelling.length).includes(spelling.slice(-minCutLength))) continue
      const length = overlapOf(spelling, line)
      if (length >= minCutLength) return { length, mask }
    }
    return undefined
  }

  #cutBefore(line: string): Cut | undefined {
    for (const [spelling, mask] of this.#masks) {
      if (!line.slice(-spelling.length).includes(spelling.slice(0, minCutLength))) continue
      const length = overlapOf(line, spelling)
      if (length >= minCutLength) return { length, mask }
    }
    return undefined
  }
}

/** A part of a value at the end or the start of a line. */
interface Cut {
  readonly length: number
  readonly mask: string
}

/** Shorter parts of a value are not masked, since they can occur by chance. */
const minCutLength = 6

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
