import { escapeHtml } from '../../kit/escape-html.ts'
import { CellLimit, htmlTable } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, type Relation } from './office-zip.ts'
import { writeBlocks, writeRuns, type ListItem, type Run } from './runs.ts'
import { writeScript } from './script-characters.ts'
import { attributeOf, childElements, descendants, findChild, relationId, textInside, type XmlElement } from './xml.ts'

/**
 * Converts a presentation of PowerPoint: the visible slides in their order, each with its title as
 * a heading, its text and tables, and its notes.
 */
export async function convertPptx(bytes: Uint8Array): Promise<HtmlDocument> {
  const zip = new OfficeZip(bytes, 'pptx')
  const relations = await zip.relations('_rels/.rels')
  const main = [...relations.values()].find(({ type }) => type === 'officeDocument')?.target ?? 'ppt/presentation.xml'
  const presentation = await zip.read(main)
  const parts = await zip.relations(main)
  const cells = new CellLimit()
  let body = ''
  for (const each of childElements(findChild(presentation, 'sldIdLst'), 'sldId')) {
    const path = parts.get(relationId(each) ?? '')?.target
    const slide = path === undefined ? undefined : await zip.find(path)
    if (path === undefined || slide === undefined || attributeOf(slide, 'show') === '0') continue
    const links = await zip.relations(path)
    const notes = [...links.values()].find(({ type }) => type === 'notesSlide')
    body += writeSlide(slide, links, cells)
    if (notes !== undefined) body += writeNotes(await zip.find(notes.target))
  }
  return { ...(await zip.properties()), body }
}

type Links = ReadonlyMap<string, Relation>

function writeSlide(slide: XmlElement, links: Links, cells: CellLimit): string {
  const shapes = descendants(findChild(slide, 'cSld', 'spTree'), 'sp', 'graphicFrame')
  const isTitle = (shape: XmlElement): boolean => /^(?:title|ctrTitle)$/.test(placeholderOf(shape) ?? '')
  const sorted = [...shapes.filter(isTitle), ...shapes.filter((shape) => !isTitle(shape))]
  return sorted
    .map((shape) => {
      const tables = descendants(shape, 'tbl').map((table) => writeTable(table, links, cells))
      const body = findChild(shape, 'txBody')
      if (!isTitle(shape)) return writeBlocks(paragraphs(body, links, placeholderOf(shape))) + tables.join('')
      const title = childElements(body, 'p')
        .map((each) => writeRuns(runs(each, links)))
        .filter((text) => text !== '')
      return title.length === 0 ? '' : `<h2>${title.join(' ')}</h2>\n`
    })
    .join('')
}

function writeNotes(notes: XmlElement | undefined): string {
  const text = descendants(findChild(notes, 'cSld', 'spTree'), 'sp')
    .map((shape) => ({ placeholder: placeholderOf(shape), text: findChild(shape, 'txBody') }))
    .map(({ placeholder, text }) =>
      writeBlocks(paragraphs(text, new Map(), placeholder === 'body' ? undefined : placeholder)),
    )
    .join('')
  return text === '' ? '' : `<h3>Notes</h3>\n${text}`
}

function writeTable(table: XmlElement, links: Links, cells: CellLimit): string {
  const rows = childElements(table, 'tr').map((row) =>
    childElements(row, 'tc').map((cell) =>
      childElements(findChild(cell, 'txBody'), 'p')
        .map((each) => writeRuns(runs(each, links)))
        .join('<br>'),
    ),
  )
  return htmlTable(rows, cells)
}

/** Returns the type of a placeholder. Undefined for other shapes. */
function placeholderOf(shape: XmlElement): string | undefined {
  const [placeholder] = ['nvSpPr', 'nvGraphicFramePr'].map((name) => findChild(shape, name, 'nvPr', 'ph'))
  return placeholder === undefined ? undefined : (attributeOf(placeholder, 'type') ?? 'body')
}

/** Several paragraphs of a body placeholder are a list, as are those with a bullet of their own. */
function paragraphs(body: XmlElement | undefined, links: Links, placeholder?: string): readonly (string | ListItem)[] {
  if (placeholder !== undefined && /^(?:dt|hdr|ftr|sldNum|sldImg)$/.test(placeholder)) return []
  const all = childElements(body, 'p')
    .map((each) => ({ properties: findChild(each, 'pPr'), html: writeRuns(runs(each, links)).trim() }))
    .filter(({ html }) => html !== '')
  const isList = (placeholder === 'body' || placeholder === 'obj') && all.length > 1
  return all.map(({ properties, html }) => {
    const isOrdered = findChild(properties, 'buAutoNum') !== undefined
    const hasBullet = isOrdered || findChild(properties, 'buChar') !== undefined
    if (!hasBullet && (!isList || findChild(properties, 'buNone') !== undefined)) return `<p>${html}</p>\n`
    return { level: Number(attributeOf(properties, 'lvl') ?? 0) || 0, isOrdered, html }
  })
}

function runs(paragraph: XmlElement, links: Links): readonly Run[] {
  return childElements(paragraph, 'r', 'br', 'fld').map((run) => {
    if (run.name === 'br') return { html: '<br>' }
    const properties = findChild(run, 'rPr')
    const link = links.get(relationId(findChild(properties, 'hlinkClick')) ?? '')
    const baseline = Number(attributeOf(properties, 'baseline') ?? 0)
    const script = baseline > 0 ? 'super' : baseline < 0 ? 'sub' : undefined
    const html = escapeHtml(writeScript(textInside(findChild(run, 't')), script))
    const href = link?.isExternal === true ? link.target : undefined
    if (html.trim() === '') return { html, href }
    const isOn = (name: string): boolean => /^(?:1|true)$/.test(attributeOf(properties, name) ?? '')
    const strike = attributeOf(properties, 'strike') ?? 'noStrike'
    return { html, href, isBold: isOn('b'), isItalic: isOn('i'), isStruck: strike !== 'noStrike' }
  })
}
