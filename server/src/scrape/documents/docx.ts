import { escapeHtml } from '../../kit/escape-html.ts'
import { CellLimit, htmlTable } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, type Relation } from './office-zip.ts'
import { writeBlocks, writeRuns, type ListItem, type Run } from './runs.ts'
import { attributeOf, childElements, findChild, relationId, textInside, type XmlElement } from './xml.ts'

/** Converts a document of Word: headings, lists, tables, links, footnotes and formatted text. */
export async function convertDocx(bytes: Uint8Array): Promise<HtmlDocument> {
  const zip = new OfficeZip(bytes, 'docx')
  const relations = await zip.relations('_rels/.rels')
  const main = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'word/document.xml'
  const document = await zip.read(main)
  const links = await zip.relations(main)
  const part = async (type: string): Promise<XmlElement | undefined> => {
    const target = [...links.values()].find((each) => each.type === type)?.target
    return target === undefined ? undefined : zip.find(target)
  }
  const writer = new DocxWriter(links, await part('styles'), await part('numbering'))
  const body = writer.write(findChild(document, 'body'))
  return { ...(await zip.properties()), body: body + writer.writeNotes(await part('footnotes')) }
}

/** Elements around paragraphs and runs that are replaced by their content. */
const wrappers: ReadonlySet<string> = new Set(
  'sdt sdtContent ins moveTo smartTag customXml AlternateContent Choice drawing inline anchor graphic graphicData wsp txbx txbxContent pict shape textbox fldSimple'.split(
    ' ',
  ),
)

class DocxWriter {
  readonly #links: ReadonlyMap<string, Relation>
  readonly #headings: ReadonlyMap<string, number>
  readonly #lists: (id: string, level: number) => boolean | undefined
  readonly #styleLists: ReadonlyMap<string, XmlElement>
  readonly #cells = new CellLimit()

  constructor(links: ReadonlyMap<string, Relation>, styles: XmlElement | undefined, numbering: XmlElement | undefined) {
    this.#links = links
    const all = childElements(styles, 'style')
    const byId = (find: (style: XmlElement) => unknown) =>
      all.flatMap((style) => {
        const found = find(style)
        return found === undefined ? [] : [[attributeOf(style, 'styleId') ?? '', found] as const]
      })
    this.#headings = new Map(byId(headingOf) as [string, number][])
    this.#styleLists = new Map(byId((style) => findChild(style, 'pPr', 'numPr')) as [string, XmlElement][])
    this.#lists = readLists(numbering)
  }

  /** Writes the blocks of a body, a cell or a note. */
  write(parent: XmlElement | undefined): string {
    return writeBlocks(this.#blocks(parent))
  }

  /** Writes the footnotes. The first two of a file are separators. */
  writeNotes(notes: XmlElement | undefined): string {
    return childElements(notes, 'footnote')
      .filter((note) => attributeOf(note, 'type') === undefined)
      .map((note) => `<p>[${escapeHtml(attributeOf(note, 'id') ?? '')}] ${writeRuns(this.#runs(note))}</p>\n`)
      .join('')
  }

  #blocks(parent: XmlElement | undefined): readonly (string | ListItem)[] {
    return childElements(parent).flatMap((child) => {
      if (child.name === 'p') return this.#paragraph(child)
      if (child.name === 'tbl') return [this.#table(child)]
      return wrappers.has(child.name) ? this.#blocks(child) : []
    })
  }

  #paragraph(paragraph: XmlElement): readonly (string | ListItem)[] {
    const html = writeRuns(this.#runs(paragraph)).trim()
    const boxes = textBoxes(paragraph).flatMap((box) => this.#blocks(box))
    if (html === '') return boxes
    const properties = findChild(paragraph, 'pPr')
    const style = attributeOf(findChild(properties, 'pStyle'), 'val') ?? ''
    const level = this.#headings.get(style) ?? outlineLevel(properties)
    if (level !== undefined) return [`<h${level}>${html}</h${level}>\n`, ...boxes]
    const numbering = findChild(properties, 'numPr') ?? this.#styleLists.get(style)
    const listLevel = Number(attributeOf(findChild(numbering, 'ilvl'), 'val') ?? 0)
    const isOrdered = this.#lists(attributeOf(findChild(numbering, 'numId'), 'val') ?? '0', listLevel)
    return [isOrdered === undefined ? `<p>${html}</p>\n` : { level: listLevel, isOrdered, html }, ...boxes]
  }

  #runs(parent: XmlElement, href?: string): readonly Run[] {
    return childElements(parent).flatMap((child) => {
      if (child.name === 'r') return [toRun(child, href)]
      if (child.name === 'p') return this.#runs(child, href)
      if (child.name === 'hyperlink') {
        const link = this.#links.get(relationId(child) ?? '')
        return this.#runs(child, link?.isExternal === true ? link.target : href)
      }
      return wrappers.has(child.name) ? this.#runs(child, href) : []
    })
  }

  #table(table: XmlElement): string {
    const rows = childElements(table, 'tr', 'sdt')
      .flatMap((row) => rowsIn(row))
      .map((row) =>
        childElements(row, 'tc').flatMap((cell) => {
          const span = Math.min(Number(attributeOf(findChild(cell, 'tcPr', 'gridSpan'), 'val') ?? 1) || 1, 100)
          return [cellHtml(this.write(cell))].concat(Array.from<string>({ length: span - 1 }).fill(''))
        }),
      )
    return htmlTable(rows, this.#cells)
  }
}

/** Removes the paragraph of a cell with only one. */
function cellHtml(html: string): string {
  const [, only] = /^<p>((?:(?!<\/p>)[^])*)<\/p>\n$/.exec(html) ?? []
  return only ?? html
}

function rowsIn(row: XmlElement): readonly XmlElement[] {
  return row.name === 'tr' ? [row] : childElements(findChild(row, 'sdtContent'), 'tr')
}

/** Finds text boxes, which are inside runs. Their fallback for older programs repeats them. */
function textBoxes(parent: XmlElement): readonly XmlElement[] {
  return childElements(parent).flatMap((child) => {
    if (child.name === 'txbxContent') return [child]
    return child.name === 'Fallback' || child.name === 't' ? [] : textBoxes(child)
  })
}

function toRun(run: XmlElement, href: string | undefined): Run {
  const properties = findChild(run, 'rPr')
  const isOn = (name: string): boolean => {
    const found = findChild(properties, name)
    return found !== undefined && !/^(?:0|false|off|none)$/.test(attributeOf(found, 'val') ?? '')
  }
  const html = childElements(run).map(runText).join('')
  const format = { isBold: isOn('b'), isItalic: isOn('i'), isStruck: isOn('strike') || isOn('dstrike') }
  // Spaces have no visible format, and Markdown cannot write them as bold.
  return html.trim() === '' ? { html, href } : { html, href, ...format }
}

function runText(child: XmlElement): string {
  switch (child.name) {
    case 't':
      return escapeHtml(textInside(child))
    case 'tab':
      return ' '
    case 'br':
    case 'cr':
      return attributeOf(child, 'type') === 'page' ? '' : '<br>'
    case 'noBreakHyphen':
      return '-'
    case 'footnoteReference':
      return `[${escapeHtml(attributeOf(child, 'id') ?? '')}]`
    default:
      return ''
  }
}

/** Names of styles are the same in every language of Word, unlike their ids. */
function headingOf(style: XmlElement): number | undefined {
  const name = attributeOf(findChild(style, 'name'), 'val') ?? ''
  const level = /^heading ([1-9])$/i.exec(name)?.[1]
  if (level !== undefined) return Math.min(6, Number(level))
  return name.toLowerCase() === 'title' ? 1 : outlineLevel(findChild(style, 'pPr'))
}

function outlineLevel(properties: XmlElement | undefined): number | undefined {
  const level = attributeOf(findChild(properties, 'outlineLvl'), 'val')
  // 9 is body text.
  return level === undefined || !/^[0-8]$/.test(level) ? undefined : Math.min(6, Number(level) + 1)
}

/** Returns whether the list of a paragraph is ordered. Undefined: it is in no list. */
function readLists(numbering: XmlElement | undefined): (id: string, level: number) => boolean | undefined {
  const definitions = new Map(
    childElements(numbering, 'abstractNum').map((each) => [attributeOf(each, 'abstractNumId'), each]),
  )
  const lists = new Map(
    childElements(numbering, 'num').map((each) => [
      attributeOf(each, 'numId'),
      definitions.get(attributeOf(findChild(each, 'abstractNumId'), 'val')),
    ]),
  )
  return (id, level) => {
    if (id === '0') return undefined
    const found = childElements(lists.get(id), 'lvl').find((each) => attributeOf(each, 'ilvl') === String(level))
    const form = attributeOf(findChild(found, 'numFmt'), 'val')
    return form === 'none' ? undefined : form !== undefined && form !== 'bullet'
  }
}
