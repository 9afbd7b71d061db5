import { escapeHtml } from '../../kit/escape-html.ts'
import { documentEncrypted } from './document-errors.ts'
import type { DocumentKind } from './file-kinds.ts'
import { CellLimit, htmlTable, trimRows } from './html-table.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, propertiesIn } from './office-zip.ts'
import { readOdfStyles, type OdfStyles, type TextFormat } from './odf-styles.ts'
import { writeBlocks, writeRuns, type ListItem, type Run } from './runs.ts'
import { writeScript } from './script-characters.ts'
import { attributeOf, childElements, descendants, findChild, textInside, type XmlElement } from './xml.ts'

/**
 * Converts a text, spreadsheet or presentation of OpenDocument. Sheets and slides have their names
 * as headings.
 */
export async function convertOdf(bytes: Uint8Array, kind: DocumentKind): Promise<HtmlDocument> {
  const zip = new OfficeZip(bytes, kind)
  const manifest = await zip.find('META-INF/manifest.xml')
  if (descendants(manifest, 'encryption-data').length > 0) throw documentEncrypted(kind)
  const content = await zip.read('content.xml')
  const styles = readOdfStyles([await zip.find('styles.xml'), content])
  const [body] = childElements(findChild(content, 'body'))
  const meta = findChild(await zip.find('meta.xml'), 'meta')
  const { author = textInside(findChild(meta, 'initial-creator')).trim(), ...properties } = propertiesIn(meta)
  return { ...properties, author, body: new OdfWriter(styles).write(body) }
}

/** Elements that are replaced by their content. */
const wrappers: ReadonlySet<string> = new Set(
  'section frame text-box custom-shape g index-body table-of-content index-title'.split(' '),
)

class OdfWriter {
  readonly #styles: OdfStyles
  readonly #cells = new CellLimit()

  constructor(styles: OdfStyles) {
    this.#styles = styles
  }

  /** Writes the blocks inside an element. */
  write(parent: XmlElement | undefined): string {
    const isSpreadsheet = parent?.name === 'spreadsheet'
    return writeBlocks(
      childElements(parent).flatMap<string | ListItem>((child) => {
        if (child.name === 'table') return this.#sheet(child, isSpreadsheet)
        if (child.name === 'list') return this.#list(child, attributeOf(child, 'style-name') ?? '', 1)
        return child.name === 'page' ? this.#page(child) : this.#block(child)
      }),
    )
  }

  #block(element: XmlElement): string {
    switch (element.name) {
      case 'h': {
        const level = Math.min(6, Math.max(1, Number(attributeOf(element, 'outline-level') ?? 1) || 1))
        return this.#paragraph(element, `h${level}`)
      }
      case 'p':
        return this.#paragraph(element, this.#styles.isTitle(attributeOf(element, 'style-name') ?? '') ? 'h1' : 'p')
      case 'table':
        return this.#sheet(element, false)
      default:
        return wrappers.has(element.name) ? this.write(element) : ''
    }
  }

  #paragraph(element: XmlElement, tag: string): string {
    const html = writeRuns(this.#runs(element, {})).trim()
    const boxes = descendants(element, 'text-box').map((box) => this.write(box))
    return (html === '' ? '' : `<${tag}>${html}</${tag}>\n`) + boxes.join('')
  }

  #page(page: XmlElement): string {
    if (this.#styles.isHidden(attributeOf(page, 'style-name') ?? '')) return ''
    const frames = childElements(page)
    const isTitle = (frame: XmlElement): boolean => attributeOf(frame, 'class') === 'title'
    const title = frames
      .filter(isTitle)
      .map((frame) => this.#inline(frame))
      .join(' ')
      .trim()
    const name = title === '' ? escapeHtml(attributeOf(page, 'name') ?? '') : title
    const rest = frames.filter((frame) => !isTitle(frame) && frame.name !== 'notes')
    const notes = this.write(findChild(page, 'notes'))
    const content = rest.map((frame) => this.#block(frame)).join('')
    return `<h2>${name}</h2>\n${content}${notes === '' ? '' : `<h3>Notes</h3>\n${notes}`}`
  }

  #inline(parent: XmlElement): string {
    return descendants(withoutComments(parent), 'p', 'h')
      .map((each) => writeRuns(this.#runs(each, {})))
      .join('<br>')
  }

  /** Lists of a presentation have one list per paragraph, so consecutive lists are one. */
  #list(list: XmlElement, style: string, level: number): readonly ListItem[] {
    const isOrdered = this.#styles.isOrdered(style, level)
    return childElements(list, 'list-item', 'list-header').flatMap((item) => {
      const children = childElements(item)
      const html = children
        .filter(({ name }) => name !== 'list')
        .map((child) => writeRuns(this.#runs(child, {})).trim())
        .filter((text) => text !== '')
        .join('<br>')
      const nested = children
        .filter(({ name }) => name === 'list')
        .flatMap((child) => this.#list(child, style, level + 1))
      return html === '' ? nested : ([{ level: level - 1, isOrdered, html }] as readonly ListItem[]).concat(nested)
    })
  }

  #sheet(table: XmlElement, isSheet: boolean): string {
    if (this.#styles.isHidden(attributeOf(table, 'style-name') ?? '')) return ''
    const expanded = new CellLimit()
    const rows = descendants(table, 'table-row').flatMap((row) => {
      const cells = this.#cellsOf(row, expanded)
      if (cells.length === 0 && isSheet) return []
      const count = repeats(row, 'number-rows-repeated')
      expanded.add((count - 1) * Math.max(1, cells.length))
      return Array.from<readonly string[]>({ length: count }).fill(cells)
    })
    const html = htmlTable(trimRows(rows), this.#cells)
    return isSheet ? `<h2>${escapeHtml(attributeOf(table, 'name') ?? '')}</h2>\n${html}` : html
  }

  /** Rows end with an empty cell that is repeated to the last column, which is left out. */
  #cellsOf(row: XmlElement, expanded: CellLimit): readonly string[] {
    const cells = childElements(row, 'table-cell', 'covered-table-cell').map((cell) => ({
      html: this.#inline(cell),
      count: repeats(cell, 'number-columns-repeated'),
    }))
    return cells.slice(0, cells.findLastIndex(({ html }) => html !== '') + 1).flatMap(({ html, count }) => {
      expanded.add(count)
      return Array.from<string>({ length: count }).fill(html)
    })
  }

  #runs(parent: XmlElement, format: TextFormat): readonly Run[] {
    return parent.children.flatMap((child) => {
      // Line breaks of the file are spaces. Several spaces are written as `<text:s>`.
      if (typeof child === 'string') {
        const { script, ...rest } = format
        return [{ ...rest, html: escapeHtml(writeScript(child.replaceAll(/\s+/g, ' '), script)) }]
      }
      switch (child.name) {
        case 'span':
          return this.#runs(child, { ...format, ...this.#styles.formatOf(attributeOf(child, 'style-name') ?? '') })
        case 'a': {
          const href = attributeOf(child, 'href')
          return this.#runs(child, { ...format, ...(href?.startsWith('#') === false && { href }) })
        }
        case 's':
        case 'tab':
          return [{ ...format, html: ' ' }]
        case 'line-break':
          return [{ ...format, html: '<br>' }]
        case 'note':
          return [{ ...format, html: ` (${this.#inline(child)})` }]
        case 'annotation':
        case 'frame':
        case 'tracked-changes':
          return []
        default:
          return this.#runs(child, format)
      }
    })
  }
}

/** Comments on a cell are inside it. */
function withoutComments(parent: XmlElement): XmlElement {
  const children = parent.children.filter((child) => typeof child === 'string' || child.name !== 'annotation')
  return { ...parent, children }
}

function repeats(element: XmlElement, name: string): number {
  const count = Number(attributeOf(element, name) ?? 1)
  return Number.isSafeInteger(count) && count >= 1 ? count : 1
}
