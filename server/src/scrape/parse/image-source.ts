import type { Element } from 'domhandler'
import { isElement } from './dom-nodes.ts'

/** Stands where the data of an image inside the page was. */
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

/** The address of the picture that an `<img>` stands for, with lazy loading and responsive sources looked through; as written. */
export function imageSource(image: Element): string | undefined {
  const { attribs } = image
  const lazy = lazyNames.map((name) => attribs[name]).find((value) => value !== undefined && isAddress(value))
  if (lazy !== undefined) return lazy
  const set = lazySetNames.map((name) => attribs[name]).find((value) => value !== undefined) ?? attribs['srcset']
  const largest = set === undefined ? undefined : largestCandidate(set)
  if (largest !== undefined) return largest
  const src = attribs['src']?.trim()
  if (src !== undefined && src !== '' && !isPlaceholder(src)) return src
  return sourceOfPicture(image) ?? (src === '' ? undefined : src)
}

function isAddress(value: string): boolean {
  return /^\S+$/.test(value.trim()) && !value.trim().startsWith('{')
}

function isPlaceholder(source: string): boolean {
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

/** The candidate of a `srcset` with the greatest width or density. */
export function largestCandidate(set: string): string | undefined {
  let best: string | undefined
  let bestSize = -1
  for (const match of set.matchAll(/\s*(\S*[^\s,])(?:\s+([\d.]+)[wx])?\s*(?:,|$)/g)) {
    const [, address, size] = match
    if (address === undefined || address.startsWith('data:')) continue
    const number = Number(size ?? 1)
    if (number > bestSize) {
      best = address
      bestSize = number
    }
  }
  return best
}
