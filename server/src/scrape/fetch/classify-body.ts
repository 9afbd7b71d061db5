import { BowlineError } from 'bowline/kit/errors'
import { declaredCharset } from '../../kit/declared-charset.ts'
import { findDocument } from '../documents/file-kinds.ts'
import type { DocumentFile, PageBody } from './loaded-page.ts'
import { decodeText } from './decode-text.ts'

/** Content types that become code blocks, with the language of the block. */
const languages: readonly (readonly [RegExp, string])[] = [
  [/json/, 'json'],
  [/xml|rss|atom/, 'xml'],
  [/javascript|ecmascript/, 'javascript'],
  [/css/, 'css'],
  [/csv/, 'csv'],
  [/ya?ml/, 'yaml'],
]

/**
 * Determines the kind of a body from its first bytes and its content type.
 * Throws SCRAPE_UNSUPPORTED_FILE_ERROR for binary content.
 */
export function classifyBody(bytes: Uint8Array, contentType: string | undefined): PageBody {
  const type = (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase()
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024))
  // The signature may have bytes before it. HTML that mentions it is not a PDF.
  const hasPdfSignature = start.includes('%PDF-') && !/^\s*</.test(start.toString('latin1'))
  if (hasPdfSignature || type === 'application/pdf') return { kind: 'pdf', bytes }
  if (type.startsWith('image/') && type !== 'image/svg+xml') return { kind: 'image', bytes }
  const isHtml = /^(?:text\/html|application\/xhtml\+xml)$/.test(type)
  const isText = isHtml || type.startsWith('text/') || languages.some(([part]) => part.test(type))
  const isUnknown = type === '' || type === 'application/octet-stream'
  if (isBinary(start, isText ? contentType : undefined)) {
    if (type === '') throw noText('binary data without a content type')
    throw noText(isText ? `binary data as ${type}` : type)
  }
  if (!isText && !isUnknown) throw noText(type)
  if (isHtml) return { kind: 'html', html: decodeText(bytes, contentType) }
  const text = decodeText(bytes, contentType)
  if (/^(?:text\/plain)?$/.test(type) && /^\s*(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 500))) {
    return { kind: 'html', html: text }
  }
  const language = languages.find(([part]) => part.test(type))?.[1] ?? ''
  return { kind: 'text', text, language }
}

/**
 * Whether the start of a body is not text. Markup with stray zeros is, and so is UTF-16, in which
 * ASCII contains zeros: the byte order mark or the content type tells it from binary data.
 * Without either, data of a text type counts as UTF-16 unless two zeros are adjacent.
 */
function isBinary(start: Buffer, contentType: string | undefined): boolean {
  if (!start.includes(0) || /^\s*</.test(start.toString('latin1'))) return false
  if (declaredCharset(start, contentType)?.startsWith('utf-16') === true) return false
  return contentType === undefined || start.includes('\0\0')
}

function noText(what: string): BowlineError {
  return new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `The URL returns ${what}, which has no text to scrape`)
}

/**
 * Determines the kind of a fetched body: a document, by its content type or the extension in its
 * URL, or that of `classifyBody`. Throws like it.
 */
export function classifyFile(bytes: Uint8Array, contentType: string | undefined, url: string): PageBody | DocumentFile {
  const documentKind = findDocument(url, contentType)
  const isPdf = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 5)).toString('latin1') === '%PDF-'
  if (documentKind === undefined || isPdf) return classifyBody(bytes, contentType)
  return { kind: 'document', documentKind, bytes }
}
