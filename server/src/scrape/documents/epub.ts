import { posix } from 'node:path'
import { decodePercent } from '../../kit/decode-percent.ts'
import { escapeHtml } from '../../kit/escape-html.ts'
import { documentEncrypted, documentInvalid } from './document-errors.ts'
import type { HtmlDocument } from './html-document.ts'
import { OfficeZip, propertiesIn } from './office-zip.ts'
import { attributeOf, childElements, descendants, findChild, type XmlElement } from './xml.ts'

/** Converts a book: its chapters in reading order. */
export async function convertEpub(bytes: Uint8Array): Promise<HtmlDocument> {
  const zip = new OfficeZip(bytes, 'epub')
  const container = await zip.read('META-INF/container.xml')
  const path = attributeOf(descendants(container, 'rootfile')[0], 'full-path')
  if (path === undefined) throw documentInvalid('Not an EPUB file: META-INF/container.xml names no book')
  const book = await zip.read(path)
  const items = new Map(
    childElements(findChild(book, 'manifest'), 'item').map((item) => [attributeOf(item, 'id'), item]),
  )
  const encrypted = new Set(
    descendants(await zip.find('META-INF/encryption.xml'), 'CipherReference').map((each) => attributeOf(each, 'URI')),
  )
  let body = ''
  for (const reference of childElements(findChild(book, 'spine'), 'itemref')) {
    const item = items.get(attributeOf(reference, 'idref'))
    const file = posix.join(posix.dirname(path), decodePercent(attributeOf(item, 'href') ?? ''))
    if (!/html|xml/.test(attributeOf(item, 'media-type') ?? '')) continue
    // Books without protection encrypt only fonts.
    if (encrypted.has(file)) throw documentEncrypted('epub')
    const chapter = await zip.find(file, { isXhtml: true })
    body += `${writeHtml(findChild(chapter, 'body'))}\n`
  }
  return { ...propertiesIn(findChild(book, 'metadata')), body }
}

const leftOut: ReadonlySet<string> = new Set(['script', 'style', 'svg', 'iframe', 'object', 'nav'])
const voidNames: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr', 'col', 'input'])

/** Attributes that formats use. Links and images within the book lead nowhere. */
const keptAttributes: ReadonlySet<string> = new Set(['href', 'colspan', 'rowspan', 'start', 'lang', 'class'])

/** Writes the content of an element of XHTML as HTML. */
function writeHtml(parent: XmlElement | undefined): string {
  return (parent?.children ?? [])
    .map((child) => {
      if (typeof child === 'string') return escapeHtml(child)
      const { name } = child
      if (leftOut.has(name) || (name === 'img' && !isExternal(child.attributes['src']))) return ''
      const attributes = Object.entries(child.attributes)
        .filter(
          ([key, value]) => (keptAttributes.has(key) && (key !== 'href' || isExternal(value))) || isImage(name, key),
        )
        .map(([key, value]) => ` ${key}="${escapeHtml(value)}"`)
        .join('')
      const tag = /^[a-z][a-z0-9]*$/.test(name) ? name : 'div'
      return voidNames.has(tag) ? `<${tag}${attributes}>` : `<${tag}${attributes}>${writeHtml(child)}</${tag}>`
    })
    .join('')
}

function isImage(name: string, key: string): boolean {
  return name === 'img' && (key === 'src' || key === 'alt')
}

function isExternal(url: string | undefined): boolean {
  return /^https?:/i.test(url ?? '')
}
