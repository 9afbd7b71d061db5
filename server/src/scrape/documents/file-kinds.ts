import type { FileFormat } from 'bowline/contract/parse'

/** A kind of document that is converted to HTML in a process. */
export type DocumentKind = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub' | 'rtf' | 'csv'

/** A kind of file that can be parsed. */
export type FileKind = DocumentKind | 'html' | 'pdf' | 'txt' | 'image'

/** Formats of files. Those that are not available are known only for the error message. */
export const fileFormats: readonly FileFormat[] = [
  format('html', ['.html', '.htm', '.xhtml'], ['text/html', 'application/xhtml+xml']),
  format('pdf', ['.pdf'], ['application/pdf']),
  format(
    'docx',
    ['.docx', '.docm'],
    [
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.ms-word.document.macroenabled.12',
    ],
  ),
  format(
    'xlsx',
    ['.xlsx', '.xlsm'],
    [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.ms-excel.sheet.macroenabled.12',
    ],
  ),
  format(
    'pptx',
    ['.pptx', '.pptm'],
    [
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      'application/vnd.ms-powerpoint.presentation.macroenabled.12',
    ],
  ),
  format('odt', ['.odt'], ['application/vnd.oasis.opendocument.text']),
  format('ods', ['.ods'], ['application/vnd.oasis.opendocument.spreadsheet']),
  format('odp', ['.odp'], ['application/vnd.oasis.opendocument.presentation']),
  format('epub', ['.epub'], ['application/epub+zip']),
  format('rtf', ['.rtf'], ['application/rtf', 'text/rtf']),
  format('csv', ['.csv'], ['text/csv', 'application/csv']),
  format('txt', ['.txt', '.md'], ['text/plain', 'text/markdown']),
  image('png', ['.png']),
  image('jpeg', ['.jpg', '.jpeg'], ['image/jpeg', 'image/jpg']),
  image('tiff', ['.tif', '.tiff']),
  image('gif', ['.gif']),
  image('bmp', ['.bmp'], ['image/bmp', 'image/x-ms-bmp']),
  image('webp', ['.webp']),
  format('doc', ['.doc'], ['application/msword'], false),
  format('xls', ['.xls'], ['application/vnd.ms-excel'], false),
  format('xlsb', ['.xlsb'], ['application/vnd.ms-excel.sheet.binary.macroenabled.12'], false),
  format('ppt', ['.ppt'], ['application/vnd.ms-powerpoint'], false),
]

/** The formats that can be parsed. */
export const readableFormats = fileFormats.filter(({ available }) => available)

/** Finds the format of a file by its extension, else by its MIME type. */
export function findFormat(name: string, mimeType: string | undefined): FileFormat | undefined {
  return byExtension(name) ?? byMimeType(mimeType)
}

/**
 * Finds the kind of a document by the content type of its response. If that says nothing, the
 * extension in the path decides, also in the middle, as in `/report.xlsx/1f3a`.
 */
export function findDocument(url: string, contentType: string | undefined): DocumentKind | undefined {
  const type = mimeTypeOf(contentType)
  const found = byMimeType(type) ?? (genericTypes.has(type) ? byPath(url) : undefined)
  return found?.available !== true || found.kind === 'image' || pageKinds.has(found.format)
    ? undefined
    : (found.format as DocumentKind)
}

const genericTypes: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/zip',
  'application/x-zip-compressed',
  'application/x-download',
  'application/force-download',
])

/** Kinds that the server reads from any URL, by their content. */
const pageKinds: ReadonlySet<string> = new Set(['html', 'pdf', 'txt'])

function format(
  name: string,
  extensions: readonly string[],
  mimeTypes: readonly string[],
  available = true,
): FileFormat {
  return { format: name, kind: 'document', extensions: [...extensions], mimeTypes: [...mimeTypes], available }
}

/** A format of images, whose text is read by OCR. */
function image(
  name: string,
  extensions: readonly string[],
  mimeTypes: readonly string[] = [`image/${name}`],
): FileFormat {
  return { ...format(name, extensions, mimeTypes), kind: 'image' }
}

function byExtension(name: string): FileFormat | undefined {
  const extension = /\.[^./\\]+$/.exec(name.trim())?.[0].toLowerCase()
  return extension === undefined ? undefined : fileFormats.find(({ extensions }) => extensions.includes(extension))
}

function byMimeType(contentType: string | undefined): FileFormat | undefined {
  const type = mimeTypeOf(contentType)
  return fileFormats.find(({ mimeTypes }) => mimeTypes.includes(type))
}

function byPath(url: string): FileFormat | undefined {
  const segments = URL.parse(url)?.pathname.split('/').toReversed() ?? []
  return segments.map(byExtension).find((found) => found !== undefined)
}

function mimeTypeOf(contentType: string | undefined): string {
  return (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase()
}
