import { BowlineError } from 'bowline/kit/errors'
import type { PageBody } from './loaded-page.ts'
import { decodeText } from './decode-text.ts'

/** Notations that are shown as code blocks, by a part of their type. */
const languages: readonly (readonly [RegExp, string])[] = [
  [/json/, 'json'],
  [/xml|rss|atom/, 'xml'],
  [/javascript|ecmascript/, 'javascript'],
  [/css/, 'css'],
  [/csv/, 'csv'],
  [/ya?ml/, 'yaml'],
]

/** Finds out what a body is, by its first bytes and its type. Throws SCRAPE_UNSUPPORTED_FILE_ERROR for what has no text. */
export function classifyBody(bytes: Uint8Array, contentType: string | undefined): PageBody {
  const type = (contentType?.split(';', 1)[0] ?? '').trim().toLowerCase()
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024))
  // Its mark may come late, but a page that tells of it is no PDF.
  const isMarked = start.includes('%PDF-') && !/^\s*</.test(start.toString('latin1'))
  if (isMarked || type === 'application/pdf') return { kind: 'pdf', bytes }
  if (type.startsWith('image/') && type !== 'image/svg+xml') return { kind: 'image' }
  if (/^(?:text\/html|application\/xhtml\+xml)$/.test(type))
    return { kind: 'html', html: decodeText(bytes, contentType) }
  const isText = type.startsWith('text/') || languages.some(([part]) => part.test(type))
  if (!isText && (start.includes(0) || (type !== '' && type !== 'application/octet-stream'))) {
    const what = type === '' ? 'binary data without a type' : type
    throw new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `The address answers ${what}, which has no text to scrape`)
  }
  const text = decodeText(bytes, contentType)
  if (/^(?:text\/plain)?$/.test(type) && /^\s*(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 500))) {
    return { kind: 'html', html: text }
  }
  const notation = languages.find(([part]) => part.test(type))?.[1] ?? ''
  return { kind: 'text', text, language: notation }
}
