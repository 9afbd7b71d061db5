import { escapeHtml } from '../../kit/escape-html.ts'
import { documentTooLarge } from './document-errors.ts'
import { CellLimit, htmlTable, maxCells, trimRows } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, type Relation } from './office-zip.ts'
import { cellFormats, formatDate, formatDuration, type CellFormat } from './spreadsheet-dates.ts'
import { attributeOf, childElements, descendants, findChild, relationId, textInside, type XmlElement } from './xml.ts'

/** Converts a workbook of Excel: each visible sheet as a heading and a table. */
export async function convertXlsx(bytes: Uint8Array): Promise<HtmlDocument> {
  const zip = new OfficeZip(bytes, 'xlsx')
  const relations = await zip.relations('_rels/.rels')
  const main = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const workbook = await zip.read(main)
  const parts = await zip.relations(main)
  const part = async (type: string): Promise<XmlElement | undefined> => {
    const target = [...parts.values()].find((each) => each.type === type)?.target
    return target === undefined ? undefined : zip.find(target)
  }
  const book = {
    strings: childElements(await part('sharedStrings'), 'si').map(richText),
    formats: cellFormats(await part('styles')),
    is1904: /^(?:1|true)$/.test(attributeOf(findChild(workbook, 'workbookPr'), 'date1904') ?? ''),
    limit: new CellLimit(),
  }
  let body = ''
  for (const sheet of childElements(findChild(workbook, 'sheets'), 'sheet')) {
    const path = parts.get(relationId(sheet) ?? '')?.target
    if (path === undefined || (attributeOf(sheet, 'state') ?? 'visible') !== 'visible') continue
    const name = escapeHtml(attributeOf(sheet, 'name') ?? '')
    const links = await zip.relations(path)
    body += `<h2>${name}</h2>\n${htmlTable(readRows(await zip.find(path), links, book), book.limit)}`
  }
  return { ...(await zip.properties()), body }
}

interface Book {
  readonly strings: readonly string[]
  readonly formats: readonly CellFormat[]
  readonly is1904: boolean
}

function readRows(
  sheet: XmlElement | undefined,
  relations: ReadonlyMap<string, Relation>,
  book: Book,
): readonly (readonly string[])[] {
  let cells = 0
  const links = new Map(
    childElements(findChild(sheet, 'hyperlinks'), 'hyperlink').map((each) => [
      attributeOf(each, 'ref'),
      relations.get(relationId(each) ?? ''),
    ]),
  )
  const rows = childElements(findChild(sheet, 'sheetData'), 'row').map((row) => {
    const found: string[] = []
    for (const cell of childElements(row, 'c')) {
      cells += 1
      if (cells > maxCells) throw documentTooLarge(`A sheet has more than ${maxCells.toLocaleString('en')} cells`)
      const column = columnOf(attributeOf(cell, 'r')) ?? found.length
      while (found.length < column) found.push('')
      const html = escapeHtml(valueOf(cell, book)).replaceAll(/\r?\n/g, '<br>')
      const link = links.get(attributeOf(cell, 'r'))
      const isLink = link?.isExternal === true && html !== ''
      found[column] = isLink ? `<a href="${escapeHtml(link.target)}">${html}</a>` : html
    }
    return found
  })
  return trimRows(rows).filter((row) => row.length > 0)
}

/** Returns the index of a column such as `AB12`. The last column of Excel is XFD. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^([A-Z]{1,3})\d*$/.exec(reference ?? '')?.[1]
  if (letters === undefined) return undefined
  const column = letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  return column < 16_384 ? column : undefined
}

function valueOf(cell: XmlElement, { strings, formats, is1904 }: Book): string {
  const value = textInside(findChild(cell, 'v'))
  switch (attributeOf(cell, 't') ?? 'n') {
    case 's':
      return strings[Number(value)] ?? ''
    case 'inlineStr':
      return richText(findChild(cell, 'is'))
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE'
    case 'n': {
      const format = formats[Number(attributeOf(cell, 's') ?? 0)] ?? 'number'
      return value === '' ? '' : formatNumber(Number(value), value, { format, is1904 })
    }
    default:
      return value
  }
}

function formatNumber(
  number: number,
  text: string,
  { format, is1904 }: { readonly format: CellFormat; readonly is1904: boolean },
): string {
  if (!Number.isFinite(number)) return text
  // Excel computes with 15 digits: 0.1 + 0.2 is stored as 0.30000000000000004.
  const rounded = Number(number.toPrecision(15))
  if (format === 'percent') return `${Number((rounded * 100).toPrecision(15))}%`
  if (format === 'duration') return formatDuration(number)
  return format === 'number' ? String(rounded) : formatDate(number + (is1904 ? 1462 : 0), format)
}

/** Text without its phonetic reading. */
function richText(element: XmlElement | undefined): string {
  const plain = findChild(element, 't')
  if (plain !== undefined) return textInside(plain)
  return childElements(element, 'r')
    .flatMap((run) => descendants(run, 't'))
    .map(textInside)
    .join('')
}
