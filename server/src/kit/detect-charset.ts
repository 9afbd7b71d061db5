import { analyse } from 'chardet'

/**
 * Guesses the encoding of a page that declares none and is not UTF-8 from its letter frequencies,
 * as browsers do. Default: `windows-1252`.
 */
export function detectCharset(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, readBytes))
  const { text, runs } = readText(start.toString('latin1'))
  const letters = totalLength(runs)
  // Western languages use non-ASCII letters sparingly; in other scripts nearly every letter is one.
  const isNonWestern = letters >= 2 * fewLetters && totalLength(runs.filter((run) => run.length > 1)) / letters > 0.7
  const words = isNonWestern ? nonAsciiWordsOf(text) : text
  if (isNonWestern && isIbm866(words)) return 'ibm866'
  const found = candidatesOf(words, start)
  return (isNonWestern ? pickNonWestern(found) : undefined) ?? pickWestern(found, letters) ?? 'windows-1252'
}

/** Bytes of the page that are inspected. */
const readBytes = 200_000

/** Bytes of its text that are passed to the detector. */
const countedBytes = 16_000

/** Non-ASCII letters below which a guess is unreliable. */
const fewLetters = 4

/** Text from which the encoding of a page is guessed. */
interface CountedText {
  readonly text: string
  readonly runs: readonly string[]
}

/** Reads the visible text, and the attributes too if it has few non-ASCII letters. */
function readText(html: string): CountedText {
  const visible = countRuns(visibleTextOf(html))
  if (totalLength(visible.runs) >= 2 * fewLetters) return visible
  return countRuns([visible.text, ...(html.match(/"[^"<>]*"|'[^'<>]*'/g) ?? [])].join('\n'))
}

/** Leaves out lines in ASCII: an English paragraph would make Polish words look Western. */
function countRuns(lines: string): CountedText {
  const kept = lines.split('\n').filter((line) => /[\x80-\xff]/.test(line))
  // The detector counts spaces at the ends of words.
  const text = ` ${kept.join(' ')} `
  return { text, runs: text.match(/[\x80-\x9f\xa1-\xff]+/g) ?? [] }
}

/** Splits first: a single pattern would backtrack over a word that is as long as the page. */
function nonAsciiWordsOf(text: string): string {
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

/** Encodings that are rare and easily mistaken for common ones. */
const neverGuessed: ReadonlySet<string> = new Set(['utf-8', 'windows-1257', 'windows-1258'])

/** Encodings that decode the text without errors, most likely first. */
function candidatesOf(words: string, start: Uint8Array): readonly Candidate[] {
  return analyse(Buffer.from(words.slice(0, countedBytes), 'latin1')).flatMap(({ name, confidence }) => {
    const encoding = encodingOf(name)
    if (encoding === undefined || neverGuessed.has(encoding) || confidence <= 0 || !decodes(start, encoding)) return []
    const isUkrainian = encoding === 'koi8-r' && /[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]/.test(words)
    return [{ name: isUkrainian ? 'koi8-u' : encoding, confidence }]
  })
}

/**
 * Whether text is Russian in IBM866, which the detector does not support: nearly all letters must
 * be Cyrillic, and enough of them among the six most frequent letters of Russian.
 */
function isIbm866(words: string): boolean {
  const bytes = words.match(/[\x80-\xff]/g)?.length ?? 0
  const letters = words.match(/[\x80-\xaf\xe0-\xf7]/g)?.length ?? 0
  const frequent = words.match(/[\xa0\xa5\xa8\xad\xae\xe2]/g)?.length ?? 0
  return letters >= 0.97 * bytes && frequent >= 0.3 * bytes
}

function pickNonWestern(found: readonly Candidate[]): string | undefined {
  // The detector mistakes Thai for Chinese. Chinese text has bytes that are invalid in windows-874.
  if (found.some(({ name }) => name === 'windows-874')) return 'windows-874'
  return found.find(({ name, confidence }) => !western.has(name) && confidence >= 20)?.name
}

function pickWestern(found: readonly Candidate[], letters: number): string | undefined {
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
    // Not an encoding of the Encoding Standard.
    return undefined
  }
}

function decodes(bytes: Uint8Array, encoding: string): boolean {
  try {
    // The last character may be truncated.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    // The bytes are not valid in this encoding.
    return false
  }
}

/** Approximates the visible text: strips tags, character references, scripts and styles. */
function visibleTextOf(html: string): string {
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
  return parts
    .join('\n')
    .replaceAll(/&[#\w]{1,32};/g, ' ')
    .replaceAll(/<[^<>]*>/g, '\n')
}

function totalLength(runs: readonly string[]): number {
  return runs.reduce((sum, run) => sum + run.length, 0)
}
