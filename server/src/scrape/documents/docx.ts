import { escapeHtml } from '../../kit/escape-html.ts'
import { CellLimit, htmlTable } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, type Relation } from './office-zip.ts'
import { writeBlocks, writeRuns, type ListItem, type Run } from './runs.ts'
import { writeScript, type Script } from './script-characters.ts'
import { attributeOf, childElements, descendants, findChild, relationId, textInside, type XmlElement } from './xml.ts'

/** Converts a document of Word: headings, lists, tables, links, notes and formatted text. */
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
  const notes = writer.writeNotes(await part('footnotes')) + writer.writeNotes(await part('endnotes'))
  return { ...(await zip.properties()), body: body + notes }
}

/** Elements around paragraphs and runs that are replaced by their content. */
const wrappers: ReadonlySet<string> = new Set(
  'sdt sdtContent ins moveTo smartTag customXml oMathPara AlternateContent Choice drawing inline anchor graphic graphicData wsp txbx txbxContent pict shape textbox fldSimple'.split(
    ' ',
  ),
)

class DocxWriter {
  readonly #links: ReadonlyMap<string, Relation>
  readonly #headings: ReadonlyMap<string, number>
  readonly #lists: (id: string, level: number) => boolean | undefined
  readonly #styleLists: ReadonlyMap<string, XmlElement>
  readonly #styleLevels: ReadonlyMap<string, number>
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
    this.#styleLevels = new Map(byId(listLevelOf) as [string, number][])
    this.#lists = readLists(numbering)
  }

  /** Writes the blocks of a body, a cell or a note. */
  write(parent: XmlElement | undefined): string {
    return writeBlocks(this.#blocks(parent))
  }

  /** Writes the footnotes or endnotes. The first two of a file are separators. */
  writeNotes(notes: XmlElement | undefined): string {
    return childElements(notes, 'footnote', 'endnote')
      .filter((note) => attributeOf(note, 'type') === undefined)
      .map((note) => `<p>${noteLabel(note)} ${writeRuns(this.#runs(note)).trim()}</p>\n`)
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
    const item = { level: listLevel + (this.#styleLevels.get(style) ?? 0), isOrdered, html }
    return [isOrdered === undefined ? `<p>${html}</p>\n` : { ...item, isOrdered }, ...boxes]
  }

  #runs(parent: XmlElement, href?: string): readonly Run[] {
    return childElements(parent).flatMap((child) => {
      if (child.name === 'r') return [toRun(child, href)]
      if (child.name === 'p') return this.#runs(child, href)
      if (child.name === 'oMath') return [{ html: escapeHtml(formulaText(child)) }]
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
  const alignment = attributeOf(findChild(properties, 'vertAlign'), 'val')
  const script = alignment === 'superscript' ? 'super' : alignment === 'subscript' ? 'sub' : undefined
  const html = childElements(run)
    .map((child) => runText(child, script))
    .join('')
  const format = { isBold: isOn('b'), isItalic: isOn('i'), isStruck: isOn('strike') || isOn('dstrike') }
  // Spaces have no visible format, and Markdown cannot write them as bold.
  return html.trim() === '' ? { html, href } : { html, href, ...format }
}

/** Footnotes and endnotes are numbered apart. */
function noteLabel(element: XmlElement): string {
  const prefix = element.name.startsWith('endnote') ? 'e' : ''
  return `[${prefix}${escapeHtml(attributeOf(element, 'id') ?? '')}]`
}

function runText(child: XmlElement, script: Script | undefined): string {
  switch (child.name) {
    case 't':
      return escapeHtml(writeScript(textInside(child), script))
    case 'tab':
      return ' '
    case 'br':
    case 'cr':
      return attributeOf(child, 'type') === 'page' ? '' : '<br>'
    case 'noBreakHyphen':
      return '-'
    case 'footnoteReference':
    case 'endnoteReference':
      return noteLabel(child)
    default:
      return ''
  }
}

/** The text of a formula without its structure. */
function formulaText(formula: XmlElement): string {
  return descendants(formula, 't').map(textInside).join('')
}

/** Names of styles are the same in every language of Word, unlike their ids. */
function headingOf(style: XmlElement): number | undefined {
  const name = attributeOf(findChild(style, 'name'), 'val') ?? ''
  const level = /^heading ([1-9])$/i.exec(name)?.[1]
  if (level !== undefined) return Math.min(6, Number(level))
  return name.toLowerCase() === 'title' ? 1 : outlineLevel(findChild(style, 'pPr'))
}

/** Word's styles for nested lists, such as `List Bullet 2`, are lists with only one level. */
function listLevelOf(style: XmlElement): number | undefined {
  const name = attributeOf(findChild(style, 'name'), 'val') ?? ''
  const level = /^list (?:bullet|number) ([2-5])$/i.exec(name)?.[1]
  return level === undefined ? undefined : Number(level) - 1
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
