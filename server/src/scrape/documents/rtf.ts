import { escapeHtml } from '../../kit/escape-html.ts'
import { documentInvalid } from './document-errors.ts'
import { CellLimit, htmlTable, trimRows } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { changeOf, characters, decoderOf, destinations, initialState, type RtfState } from './rtf-state.ts'
import { writeBlocks, writeRuns, type ListItem, type Run } from './runs.ts'
import { writeScript } from './script-characters.ts'

/** Converts RTF: headings, paragraphs, lists, tables, links, notes and formatted text. */
export function convertRtf(bytes: Uint8Array): HtmlDocument {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  if (!source.startsWith('{\\rtf')) throw documentInvalid('Not an RTF file: it does not start with `{\\rtf`')
  const reader = new RtfReader()
  for (const [token] of source.matchAll(tokens)) reader.read(token)
  return reader.finish()
}

const tokens = /\\'[0-9a-fA-F]{2}|\\[a-zA-Z]{1,32}(?:-?\d{1,10})? ?|\\[^a-zA-Z]|[{}]|[\r\n]+|[^\\{}\r\n]+/g

const maxDepth = 500

/** Maximum length of the text outside the body that is read, such as a title. */
const maxExtraCharacters = 10_000

class RtfReader {
  #state: RtfState = initialState
  readonly #groups: RtfState[] = []
  readonly #cells = new CellLimit()
  readonly #blocks: (string | ListItem)[] = []
  readonly #extra = { title: '', author: '', subject: '' }
  /** Heading levels of styles. The name of a style follows its number. */
  readonly #headings = new Map<number, number>()
  #styleName = ''
  #style = 0
  #heading: number | undefined
  #listLevel = 0
  #marker = ''
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
    else if (token === '}') this.#close()
    else if (token.startsWith('\\')) this.#control(token)
    else if (!/^[\r\n]/.test(token)) {
      const text = token.slice(this.#toSkip)
      this.#toSkip = Math.max(0, this.#toSkip - token.length)
      this.#text(text)
    }
  }

  finish(): HtmlDocument {
    this.#flushBytes()
    this.#endParagraph()
    this.#endTable()
    const { title, author, subject: description } = this.#extra
    return { title, author, description, body: writeBlocks(this.#blocks) }
  }

  #open(): void {
    if (this.#groups.length === maxDepth) throw documentInvalid(`The RTF file is nested deeper than ${maxDepth} levels`)
    this.#groups.push(this.#state)
  }

  #close(): void {
    const { isNote } = this.#state
    const outer = this.#groups.pop() ?? this.#state
    if (isNote && !outer.isNote) this.#text(')')
    this.#state = outer
  }

  #control(token: string): void {
    const [, word = '', digits = ''] = /^\\([a-zA-Z]+)(-?\d+)? ?$/.exec(token) ?? []
    const number = digits === '' ? undefined : Number(digits)
    const destination = destinations.get(word)
    if (word === '') this.#symbol(token.slice(1))
    else if (destination !== undefined) this.#change({ destination })
    else if (characters[word] !== undefined) this.#text(characters[word])
    else if (word === 'u') this.#unicode(number ?? 0)
    else if (word === 'ansicpg') this.#decoder = decoderOf(number ?? 1252)
    else if (word === 'field') this.#change({ field: { instruction: '' } })
    else if (word === 'footnote') this.#startNote()
    else if (this.#state.destination === 'style') this.#readStyle(word, number ?? 0)
    else this.#change(changeOf(word, number) ?? {})
    if (this.#state.destination === 'body') this.#structure(word, number ?? 0)
  }

  #change(change: Partial<RtfState>): void {
    this.#state = { ...this.#state, ...change }
  }

  #readStyle(word: string, number: number): void {
    if (word === 's') this.#style = number
    else if (word === 'outlinelevel' && number < 9) this.#headings.set(this.#style, number + 1)
  }

  #structure(word: string, number: number): void {
    if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph()
    else if (word === 'pard') this.#resetParagraph()
    else if (word === 's') this.#heading = this.#headings.get(number)
    else if (word === 'outlinelevel' && number < 9) this.#heading = number + 1
    else if (word === 'ilvl') this.#listLevel = Math.max(0, number)
    else if (word === 'intbl') this.#isInTable = true
    else if (word === 'cell') {
      this.#row.push(this.#cellText + this.#takeText())
      this.#cellText = ''
    } else if (word === 'nestcell') this.#text('\n')
    else if (word === 'row') {
      this.#rows.push(this.#row)
      this.#row = []
    }
  }

  #resetParagraph(): void {
    // A note is inside a paragraph, which goes on after it.
    if (this.#state.isNote) return
    this.#isInTable = false
    this.#heading = undefined
    this.#listLevel = 0
  }

  #startNote(): void {
    // Programs that cannot read footnotes skip the group.
    this.#change({ destination: 'body', isNote: true, script: undefined })
    this.#text(noteStart)
  }

  #symbol(symbol: string): void {
    if (symbol === '*') this.#change({ destination: 'hidden' })
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
    const { destination, field, isBold, isItalic, isStruck, isInvisible, script } = this.#state
    if (destination === 'hidden' || text === '' || isInvisible) return
    if (destination !== 'body') return this.#extraText(destination, text)
    const isNoteStart = this.#runs.at(-1)?.html === noteStart
    const html = escapeHtml(writeScript(isNoteStart ? text.trimStart() : text, script)).replaceAll('\n', '<br>')
    const href = linkOf(field?.instruction)
    this.#runs.push(text.trim() === '' ? { html, href } : { html, isBold, isItalic, isStruck, href })
  }

  #extraText(destination: Exclude<RtfState['destination'], 'body' | 'hidden'>, text: string): void {
    const { field } = this.#state
    const add = (to: string): string => (to + text).slice(0, maxExtraCharacters)
    if (destination === 'instruction') {
      if (field !== undefined) field.instruction = add(field.instruction)
    } else if (destination === 'marker') this.#marker = add(this.#marker)
    else if (destination === 'style') {
      this.#styleName = add(this.#styleName)
      if (!text.endsWith(';')) return
      const level = headingOf(this.#styleName)
      if (level !== undefined) this.#headings.set(this.#style, level)
      this.#styleName = ''
      this.#style = 0
    } else this.#extra[destination] = add(this.#extra[destination])
  }

  #takeText(): string {
    const html = writeRuns(this.#runs).trim()
    const marker = this.#marker.trim().replaceAll(symbols, '•')
    this.#runs = []
    this.#marker = ''
    return html === '' || marker === '' ? html : `${escapeHtml(marker)} ${html}`
  }

  #endParagraph(): void {
    // The paragraphs of a note are in the middle of another one.
    if (this.#state.isNote) return this.#text('\n')
    if (this.#isInTable || this.#row.length > 0) {
      const html = this.#takeText()
      if (html !== '') this.#cellText += `${html}<br>`
      return
    }
    this.#endTable()
    const marker = this.#marker.trim()
    this.#marker = ''
    const level = Math.min(6, this.#heading ?? 0)
    // The style of a heading is repeated in its text.
    if (level > 0) this.#runs = this.#runs.map((run) => ({ ...run, isBold: false }))
    const html = this.#takeText()
    if (html === '') return
    if (level > 0) this.#blocks.push(`<h${level}>${html}</h${level}>\n`)
    else if (marker === '') this.#blocks.push(`<p>${html}</p>\n`)
    else this.#blocks.push({ level: this.#listLevel, isOrdered: /^\(?\w+[.)]/.test(marker), html })
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row)
    const table = htmlTable(trimRows(this.#rows), this.#cells)
    if (table !== '') this.#blocks.push(table)
    this.#rows = []
    this.#row = []
  }
}

/** Text between a paragraph and its note. */
const noteStart = ' ('

/** Bullets of symbol fonts are characters without a meaning. */
const symbols = /[\uE000-\uF8FF\u00B7]/g

/** Names of styles start with their alias: `heading 1;` or `Heading 1;`. */
function headingOf(name: string): number | undefined {
  const level = /^\s*heading ([1-9])\b/i.exec(name)?.[1]
  if (level !== undefined) return Number(level)
  return /^\s*title;/i.test(name) ? 1 : undefined
}

function linkOf(instruction: string | undefined): string | undefined {
  const [, quoted, plain] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\]+))/i.exec(instruction ?? '') ?? []
  const url = quoted ?? plain
  return url === undefined || url === '' || url.startsWith('#') ? undefined : url
}
