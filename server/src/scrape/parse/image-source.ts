import type { Element } from 'domhandler'
import { isElement } from './dom-nodes.ts'

/** Replaces the data of a base64 image. */
export const removedImagePlaceholder = '<Base64-Image-Removed>'

const lazyNames = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-original-src',
  'data-lazy',
  'data-hi-res-src',
  'data-full-src',
  'data-image',
  'data-url',
]
const lazySetNames = ['data-srcset', 'data-lazy-srcset', 'data-original-set']

/**
 * Returns the image URL of an `<img>` as written. Looks at lazy loading attributes, `srcset` and
 * `<picture>`.
 */
export function imageSource(image: Element): string | undefined {
  const { attribs } = image
  const lazy = lazyNames.map((name) => attribs[name]).find((value) => value !== undefined && isUrl(value))
  if (lazy !== undefined) return lazy
  const set = lazySetNames.map((name) => attribs[name]).find((value) => value !== undefined) ?? attribs['srcset']
  const largest = set === undefined ? undefined : largestCandidate(set)
  if (largest !== undefined) return largest
  const src = attribs['src']?.trim()
  if (src !== undefined && src !== '' && !isPlaceholder(src)) return src
  return sourceOfPicture(image) ?? (src === '' ? undefined : src)
}

function isUrl(value: string): boolean {
  return /^\S+$/.test(value.trim()) && !value.trim().startsWith('{')
}

/** Whether a URL is that of an empty image that is shown until the real one is loaded. */
export function isPlaceholder(source: string): boolean {
  return (
    source.startsWith('data:') ||
    /(?:^|\/)(?:blank|spacer|placeholder|transparent|pixel|1x1|lazy)\.(?:gif|png|svg)$/i.test(source)
  )
}

function sourceOfPicture(image: Element): string | undefined {
  const { parent } = image
  if (parent === null || !isElement(parent) || parent.name !== 'picture') return undefined
  for (const child of parent.children) {
    if (!isElement(child) || child.name !== 'source') continue
    const set = child.attribs['srcset'] ?? child.attribs['data-srcset']
    const largest = set === undefined ? undefined : largestCandidate(set)
    if (largest !== undefined) return largest
  }
  return undefined
}

/** Returns the URL with the largest width or density in a `srcset`. */
export function largestCandidate(set: string): string | undefined {
  let best: string | undefined
  let bestSize = -1
  for (const match of set.matchAll(/\s*(\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)) {
    const [, url, size] = match
    if (url === undefined || url.startsWith('data:')) continue
    const number = Number(size ?? 1)
    if (number > bestSize) {
      best = url
      bestSize = number
    }
  }
  return best
}
