import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { DocumentProcesses } from '../documents/document-processes.ts'
import { findFormat, readableFormats, type DocumentKind, type FileKind } from '../documents/file-kinds.ts'
import { decodeText } from '../fetch/decode-text.ts'
import type { DocumentFile, FetchedPage, LoadedPage, PageBody } from '../fetch/loaded-page.ts'

/** A file of a client. */
export interface UploadedFile {
  readonly name: string
  readonly contentType: string | undefined
  readonly bytes: Uint8Array
}

/** The team that a document is read for. */
export interface ReadFor extends Abortable {
  readonly teamId: string
}

/** Reads documents of office programs as HTML pages. */
export class DocumentReader {
  readonly #processes = new DocumentProcesses()

  /** Converts the body of a fetched page if it is a document. Throws DOCUMENT_*. */
  async read(page: FetchedPage, reader: ReadFor): Promise<LoadedPage> {
    const { body, contentType } = page
    return { ...page, body: body.kind === 'document' ? await this.#convert(body, contentType, reader) : body }
  }

  /** Reads a file of a client. Throws UNSUPPORTED_FILE_TYPE, DOCUMENT_*. */
  async readUpload(file: UploadedFile, reader: ReadFor): Promise<LoadedPage> {
    const body = bodyOf(file)
    const page = { url: '', statusCode: 200, contentType: file.contentType, body }
    return this.read(page, reader)
  }

  async #convert(
    { documentKind: kind, bytes }: DocumentFile,
    contentType: string | undefined,
    { teamId, signal }: ReadFor,
  ): Promise<PageBody> {
    const html = await this.#processes.convert({ kind, bytes, contentType }, teamId, { signal })
    return { kind: 'html', html, source: 'document' }
  }
}

/** Throws UNSUPPORTED_FILE_TYPE for a file that cannot be read. */
export function kindOfFile({ name, contentType }: Omit<UploadedFile, 'bytes'>): FileKind {
  const format = findFormat(name, contentType)
  if (format?.available === true) return format.kind === 'image' ? 'image' : (format.format as FileKind)
  const extensions = readableFormats.flatMap((each) => each.extensions).join(', ')
  throw new BowlineError(
    'UNSUPPORTED_FILE_TYPE',
    `Unsupported upload type. Supported file extensions: ${extensions}`,
    format === undefined ? {} : { hint: `Save the file in a newer format, such as .${newerFormats[format.format]}.` },
  )
}

const newerFormats: Readonly<Record<string, string>> = { doc: 'docx', xls: 'xlsx', xlsb: 'xlsx', ppt: 'pptx' }

function bodyOf(file: UploadedFile): PageBody | DocumentFile {
  const { bytes, contentType } = file
  const kind = kindOfFile(file)
  switch (kind) {
    case 'pdf':
      return { kind: 'pdf', bytes }
    case 'image':
      return { kind: 'image', bytes, source: 'upload' }
    case 'html':
    case 'txt': {
      if (bytes.length === 0) {
        throw new BowlineError('DOCUMENT_INVALID', `The ${kind.toUpperCase()} file is empty: 0 bytes`)
      }
      const text = decodeText(bytes, contentType)
      return kind === 'html'
        ? { kind, html: text, source: 'upload' }
        : { kind: 'text', text, language: '', source: 'upload' }
    }
    default:
      return { kind: 'document', documentKind: kind satisfies DocumentKind, bytes }
  }
}
