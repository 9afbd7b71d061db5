import type { AnyNode, Document, Element, ParentNode } from 'domhandler'
import { invisibleNames, isElement, isText, visitElements } from '../parse/dom-nodes.ts'
import { findElements } from '../parse/select-elements.ts'
import { adHosts, adSelectors } from '../render/ad-rules.ts'
import { filterTree, removeNode } from '../parse/edit-tree.ts'

/** Matches ids, classes, URLs and attribute names that a selector may apply to. */
const hint = new RegExp(adSelectors.map(longestWordOf).join('|'), 'i')

/**
 * Removes advertisements and consent banners, unless the page has no other text. A page without
 * candidates costs only one regular expression per element.
 */
export function removeAds(document: Document): void {
  removeTrackers(document)
  let hasCandidate = false
  visitElements(document, (element) => {
    hasCandidate ||= mayBeAd(element)
    return !hasCandidate
  })
  if (!hasCandidate) return
  const ads = findElements(document, adSelectors.join(', '))
  if (ads.length > 0 && hasTextOutside(document, new Set(ads))) for (const ad of ads) removeNode(ad)
}

/**
 * Whether a page has text outside of some elements. A page that is only a consent banner has none.
 */
function hasTextOutside(parent: ParentNode, excluded: ReadonlySet<AnyNode>): boolean {
  return parent.children.some((child) => {
    if (isText(child)) return child.data.trim() !== ''
    if (!isElement(child) || child.name === 'head' || invisibleNames.has(child.name)) return false
    return !excluded.has(child) && hasTextOutside(child, excluded)
  })
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
