import type { Document, Element } from 'domhandler'
import { isElement, visitElements } from '../parse/dom-nodes.ts'
import { removeMatching } from '../parse/select-elements.ts'
import { adHosts, adSelectors } from '../render/ad-rules.ts'
import { filterTree } from '../parse/edit-tree.ts'

/** Matches ids, classes, URLs and attribute names that a selector may apply to. */
const hint = new RegExp(adSelectors.map(longestWordOf).join('|'), 'i')

/**
 * Removes advertisements and consent banners. A page without candidates costs only one regular
 * expression per element.
 */
export function removeAds(document: Document): void {
  removeTrackers(document)
  let hasCandidate = false
  visitElements(document, (element) => {
    hasCandidate ||= mayBeAd(element)
    return !hasCandidate
  })
  if (hasCandidate) removeMatching(document, [adSelectors.join(', ')])
}

function longestWordOf(selector: string): string {
  return (selector.match(/[\w-]+/g) ?? []).reduce(
    (longest, word) => (word.length > longest.length ? word : longest),
    '',
  )
}

/** Removes tracking pixels: images from ad hosts. */
function removeTrackers(document: Document): void {
  filterTree(document, (node) => !isElement(node) || node.name !== 'img' || !isAdHost(node.attribs['src'] ?? ''))
}

function isAdHost(url: string): boolean {
  if (!/^\s*(?:https?:)?\/\//i.test(url)) return false
  const host = URL.parse(url, 'http://host.invalid')?.hostname
  return host !== undefined && adHosts.some((ad) => host === ad || host.endsWith(`.${ad}`))
}

function mayBeAd({ attribs }: Element): boolean {
  const { id = '', class: names = '', src = '' } = attribs
  return hint.test(id) || hint.test(names) || hint.test(src) || Object.keys(attribs).some((name) => hint.test(name))
}
