import { analyse } from 'chardet'

/** Finds the encoding of a page that names none and is no UTF-8, as browsers do: by its letters. Default `windows-1252`. */
export function detectCharset(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, readBytes))
  const text = textOf(start.toString('latin1'))
  const runs = text.match(/[\x80-\x9f\xa1-\xff]+/g) ?? []
  const letters = lengthOf(runs)
  // Western languages have accents here and there; others have hardly anything else in their words.
  const isForeign = letters >= 2 * fewLetters && lengthOf(runs.filter((run) => run.length > 1)) / letters > 0.7
  const words = isForeign ? foreignWordsOf(text) : text
  const found = candidatesOf(words, start)
  return (isForeign ? foreignOf(found) : undefined) ?? westernOf(found, letters) ?? 'windows-1252'
}

/** Bytes in which the encoding is looked for, and of their text, those whose letters are counted. */
const readBytes = 200_000
const countedBytes = 16_000

/** Letters beyond ASCII below which nothing can be told. */
const fewLetters = 4

/** One word may be as long as the page, so no pattern looks for a letter from each of its places. */
function foreignWordsOf(text: string): string {
  return text
    .split(/[ \t\r\n]+/)
    .filter((word) => /[\x80-\xff]/.test(word))
    .join(' ')
}

interface Candidate {
  readonly name: string
  /** 0 to 100. */
  readonly confidence: number
}

const western: ReadonlySet<string> = new Set(['windows-1252', 'windows-1250', 'iso-8859-2', 'windows-1254'])

/** Rare, and too alike to the usual ones. */
const neverGuessed: ReadonlySet<string> = new Set(['utf-8', 'windows-1257', 'windows-1258'])

/** The encodings that the text may have, the likeliest first: only those in which it has no error. */
function candidatesOf(words: string, start: Uint8Array): readonly Candidate[] {
  return analyse(Buffer.from(words.slice(0, countedBytes), 'latin1')).flatMap(({ name, confidence }) => {
    const encoding = encodingOf(name)
    if (encoding === undefined || neverGuessed.has(encoding) || confidence <= 0 || !decodes(start, encoding)) return []
    const isUkrainian = encoding === 'koi8-r' && /[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]/.test(words)
    return [{ name: isUkrainian ? 'koi8-u' : encoding, confidence }]
  })
}

function foreignOf(found: readonly Candidate[]): string | undefined {
  // Thai is taken for Chinese, but Chinese has bytes that Thai has not.
  if (found.some(({ name }) => name === 'windows-874')) return 'windows-874'
  return found.find(({ name, confidence }) => !western.has(name) && confidence >= 20)?.name
}

function westernOf(found: readonly Candidate[], letters: number): string | undefined {
  const usual = found.find(({ name }) => name === 'windows-1252')?.confidence ?? 0
  const best = found.find(({ name }) => western.has(name))
  return best !== undefined && letters >= 2 * fewLetters && best.confidence >= 20 && best.confidence > 1.2 * usual
    ? best.name
    : undefined
}

function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function decodes(bytes: Uint8Array, encoding: string): boolean {
  try {
    // The last character may be cut.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** What a page shows, roughly: without tags, references, scripts and styles. */
function textOf(html: string): string {
  const lower = html.toLowerCase()
  const parts: string[] = []
  let at = 0
  for (const { 0: tag, index } of lower.matchAll(/<(?:script|style)\b/g)) {
    if (index < at) continue
    parts.push(html.slice(at, index))
    const end = lower.indexOf(`</${tag.slice(1)}`, index)
    at = end === -1 ? html.length : end
  }
  parts.push(html.slice(at))
  return parts.join(' ').replaceAll(/<[^<>]*>|&[#\w]{1,32};/g, ' ')
}

function lengthOf(runs: readonly string[]): number {
  return runs.reduce((sum, run) => sum + run.length, 0)
}
