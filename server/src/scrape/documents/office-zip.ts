import { posix } from 'node:path'
import { readZip, type ZipFile } from '../../kit/read-zip.ts'
import { documentEncrypted, documentInvalid, documentTooLarge } from './document-errors.ts'
import type { DocumentKind } from './file-kinds.ts'
import type { HtmlDocument } from './html-document.ts'
import { attributeOf, childElements, findChild, parseXml, textInside, type XmlElement } from './xml.ts'

/** Limits of the files in a document. Only those with text are unpacked. */
const limits = { files: 10_000, contentBytes: 500_000_000 }

/** Maximum size of all XML files that are unpacked, in bytes. */
const maxXmlBytes = 100_000_000

/** The zip of an office document or a book. */
export class OfficeZip {
  readonly kind: DocumentKind
  readonly #files: ReadonlyMap<string, ZipFile>
  #unpackedBytes = 0

  /** Throws DOCUMENT_INVALID, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE. Unpacks nothing. */
  constructor(bytes: Uint8Array, kind: DocumentKind) {
    this.kind = kind
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const files = readZip(buffer, {
      ...limits,
      invalid: (message, { problem }) => {
        if (problem === 'encrypted') return documentEncrypted(kind)
        if (problem === 'size') return documentTooLarge(message)
        return problem === 'notZip' ? notZip(buffer, kind) : documentInvalid(message)
      },
    })
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  /** Whether it contains a file. */
  has(path: string): boolean {
    return this.#files.has(path)
  }

  /** Parses an XML file. Throws DOCUMENT_INVALID if it is missing or malformed. */
  async read(path: string, options?: { readonly isXhtml: boolean }): Promise<XmlElement> {
    const found = await this.find(path, options)
    if (found === undefined) throw documentInvalid(`Not a ${this.kind.toUpperCase()} file: it has no ${path}`)
    return found
  }

  /** Parses an XML file. Resolves to undefined if it is missing. */
  async find(path: string, options?: { readonly isXhtml: boolean }): Promise<XmlElement | undefined> {
    const file = this.#files.get(path)
    if (file === undefined) return undefined
    this.#unpackedBytes += file.size
    if (this.#unpackedBytes > maxXmlBytes) {
      throw documentTooLarge(`The XML files of the document unpack to more than ${maxXmlBytes / 1e6} MB`)
    }
    return parseXml(await file.read(), path, options)
  }

  /** Reads the targets of the relationships of a file of Office Open XML, by their ids. */
  async relations(path: string): Promise<ReadonlyMap<string, Relation>> {
    const { dir, base } = posix.parse(path)
    const file = await this.find(posix.join(dir, '_rels', `${base}.rels`))
    return new Map(
      childElements(file, 'Relationship').map((each) => {
        const target = attributeOf(each, 'Target') ?? ''
        const isExternal = attributeOf(each, 'TargetMode') === 'External'
        const type = attributeOf(each, 'Type')?.split('/').at(-1) ?? ''
        const inside = target.startsWith('/') ? target.slice(1) : posix.join(dir, target)
        return [attributeOf(each, 'Id') ?? '', { type, target: isExternal ? target : inside, isExternal }]
      }),
    )
  }

  /** Reads title and author of a document of Office Open XML. */
  async properties(): Promise<Omit<HtmlDocument, 'body'>> {
    return propertiesIn(await this.find('docProps/core.xml'))
  }
}

/** Reads Dublin Core elements. */
export function propertiesIn(element: XmlElement | undefined): Omit<HtmlDocument, 'body'> {
  const read = (name: string): string | undefined => textInside(findChild(element, name)).trim() || undefined
  return { title: read('title'), description: read('description'), author: read('creator'), language: read('language') }
}

/** A relationship of Office Open XML. */
export interface Relation {
  /** Last part of the type, such as `hyperlink`. */
  readonly type: string
  /** Path in the zip, or a URL. */
  readonly target: string
  readonly isExternal: boolean
}

/** Encrypted documents of Office, and those of its versions before 2007, are OLE containers. */
function notZip(bytes: Buffer, kind: DocumentKind): Error {
  if (bytes.subarray(0, 4).toString('hex') !== 'd0cf11e0') {
    const start = bytes
      .subarray(0, 24)
      .toString('latin1')
      .replaceAll(/[^\x20-\x7e]+/g, '.')
    return documentInvalid(
      `Not a ${kind.toUpperCase()} file, or truncated: ${bytes.length} bytes starting with \`${start}\``,
    )
  }
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))) return documentEncrypted(kind)
  return documentInvalid(`Not a ${kind.toUpperCase()} file, but one of an Office version before 2007`)
}
