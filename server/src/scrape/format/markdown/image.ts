import type { Element } from 'domhandler'
import { imageSource, removedImagePlaceholder } from '../../parse/image-source.ts'
import { escapeBrackets, escapeText, writeAddress } from './escape.ts'
import type { Writer } from './writer.ts'

/** Writes `![alt](url)`. Returns '' for an image without a URL and for a tracking pixel. */
export function writeImage(image: Element, writer: Writer): string {
  const { attribs } = image
  if (isPixel(attribs['width']) && isPixel(attribs['height'])) return ''
  const source = imageSource(image)?.trim() ?? ''
  if (source === '') return ''
  if (source === removedImagePlaceholder) return `![${altOf(image)}](${removedImagePlaceholder})`
  const alt = altOf(image)
  if (/^data:/i.test(source))
    return writer.removesBase64Images ? `![${alt}](${removedImagePlaceholder})` : `![${alt}](${source})`
  const address = writer.resolve(source)
  if (address === undefined) return ''
  const title = attribs['title']?.replace(/\s+/g, ' ').replaceAll('"', '\\"').trim()
  return `![${alt}](${writeAddress(address)}${title === undefined || title === '' ? '' : ` "${title}"`})`
}

function altOf(image: Element): string {
  return escapeBrackets(escapeText((image.attribs['alt'] ?? '').replace(/\s+/g, ' ').trim()))
}

function isPixel(size: string | undefined): boolean {
  return size === '1' || size === '0' || size === '1px' || size === '0px'
}
