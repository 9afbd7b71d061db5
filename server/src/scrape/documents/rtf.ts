import { escapeHtml } from '../../kit/escape-html.ts'
import { documentInvalid } from './document-errors.ts'
import { CellLimit, htmlTable } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { writeRuns, type Run } from './runs.ts'

/** Converts RTF: paragraphs, tables, and bold, italic and struck text. */
export function convertRtf(bytes: Uint8Array): HtmlDocument {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  if (!source.startsWith('{\\rtf')) throw documentInvalid('Not an RTF file: it does not start with `{\\rtf`')
  const reader = new RtfReader()
  for (const [token] of source.matchAll(tokens)) reader.read(token)
  return { body: reader.finish() }
}

const tokens = /\\'[0-9a-fA-F]{2}|\\[a-zA-Z]{1,32}(?:-?\d{1,10})? ?|\\[^a-zA-Z]|[{}]|[\r\n]+|[^\\{}\r\n]+/g

/** Groups whose content is no text. */
const hidden: ReadonlySet<string> = new Set(
  'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf fldinst listtable listoverridetable themedata datastore xmlnstbl generator bkmkstart bkmkend nonshppict'.split(
    ' ',
  ),
)

const characters: Readonly<Record<string, string>> = {
  tab: ' ',
  line: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201C',
  rdblquote: '\u201D',
  bullet: '\u2022',
}

interface State {
  readonly isHidden: boolean
  readonly isBold: boolean
  readonly isItalic: boolean
  readonly isStruck: boolean
  /** Characters after a Unicode character that repeat it for older programs. */
  readonly skipped: number
}

const maxDepth = 500

class RtfReader {
  #state: State = { isHidden: false, isBold: false, isItalic: false, isStruck: false, skipped: 1 }
  readonly #groups: State[] = []
  readonly #cells = new CellLimit()
  #html = ''
  #runs: Run[] = []
  #row: string[] = []
  #rows: string[][] = []
  #cellText = ''
  #isInTable = false
  #toSkip = 0
  #bytes: number[] = []
  #decoder = new TextDecoder('windows-1252')

  read(token: string): void {
    if (token.startsWith("\\'")) {
      if (this.#toSkip > 0) this.#toSkip -= 1
      else this.#bytes.push(Number.parseInt(token.slice(2), 16))
      return
    }
    this.#flushBytes()
    if (token === '{') this.#open()
    else if (token === '}') this.#state = this.#groups.pop() ?? this.#state
    else if (token.startsWith('\\')) this.#control(token)
    else if (!/^[\r\n]/.test(token)) {
      const text = token.slice(this.#toSkip)
      this.#toSkip = Math.max(0, this.#toSkip - token.length)
      this.#text(text)
    }
  }

  finish(): string {
    this.#flushBytes()
    this.#endParagraph()
    this.#endTable()
    return this.#html
  }

  #open(): void {
    if (this.#groups.length === maxDepth) throw documentInvalid(`The RTF file is nested deeper than ${maxDepth} levels`)
    this.#groups.push(this.#state)
  }

  #control(token: string): void {
    const [, word = '', digits = ''] = /^\\([a-zA-Z]+)(-?\d+)? ?$/.exec(token) ?? []
    const number = digits === '' ? undefined : Number(digits)
    const isOn = number !== 0
    if (word === '') this.#symbol(token.slice(1))
    else if (hidden.has(word)) this.#state = { ...this.#state, isHidden: true }
    else if (characters[word] !== undefined) this.#text(characters[word])
    else if (word === 'b') this.#state = { ...this.#state, isBold: isOn }
    else if (word === 'i') this.#state = { ...this.#state, isItalic: isOn }
    else if (word === 'strike') this.#state = { ...this.#state, isStruck: isOn }
    else if (word === 'plain') this.#state = { ...this.#state, isBold: false, isItalic: false, isStruck: false }
    else if (word === 'uc') this.#state = { ...this.#state, skipped: Math.min(10, Math.max(0, number ?? 1)) }
    else if (word === 'u') this.#unicode(number ?? 0)
    else if (word === 'ansicpg') this.#decoder = decoderOf(number ?? 1252)
    else if (!this.#state.isHidden) this.#structure(word)
  }

  #structure(word: string): void {
    if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph()
    else if (word === 'pard') this.#isInTable = false
    else if (word === 'intbl') this.#isInTable = true
    else if (word === 'cell') {
      this.#row.push(this.#cellText + writeRuns(this.#runs).trim())
      this.#cellText = ''
      this.#runs = []
    } else if (word === 'row') {
      this.#rows.push(this.#row)
      this.#row = []
    }
  }

  #symbol(symbol: string): void {
    if (symbol === '*') this.#state = { ...this.#state, isHidden: true }
    else if (symbol === '~') this.#text('\u00A0')
    else if (symbol === '_') this.#text('-')
    else if (symbol === '\n' || symbol === '\r') this.#endParagraph()
    else if (/[\\{}]/.test(symbol)) this.#text(symbol)
  }

  #unicode(code: number): void {
    this.#text(String.fromCharCode(code < 0 ? code + 65_536 : code))
    this.#toSkip = this.#state.skipped
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return
    const bytes = new Uint8Array(this.#bytes)
    this.#bytes = []
    this.#text(this.#decoder.decode(bytes))
  }

  #text(text: string): void {
    const { isHidden, isBold, isItalic, isStruck } = this.#state
    if (isHidden || text === '') return
    const html = escapeHtml(text).replaceAll('\n', '<br>')
    this.#runs.push(text.trim() === '' ? { html } : { html, isBold, isItalic, isStruck })
  }

  #endParagraph(): void {
    const html = writeRuns(this.#runs).trim()
    this.#runs = []
    if (this.#isInTable || this.#row.length > 0) {
      if (html !== '') this.#cellText += `${html}<br>`
      return
    }
    this.#endTable()
    if (html !== '') this.#html += `<p>${html}</p>\n`
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row)
    this.#html += htmlTable(this.#rows, this.#cells)
    this.#rows = []
    this.#row = []
  }
}

function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePages[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}

const codePages: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10_000: 'macintosh',
  65_001: 'utf-8',
}
