import type { Document, Element } from 'domhandler'
import { isElement, visitElements } from '../parse/dom-nodes.ts'
import { removeMatching } from '../parse/select-elements.ts'
import { adHosts, adSelectors } from '../render/ad-rules.ts'
import { filterTree } from '../parse/edit-tree.ts'

function longestWordOf(selector: string): string {
  return (selector.match(/[\w-]+/g) ?? []).reduce(
    (longest, word) => (word.length > longest.length ? word : longest),
    '',
  )
}

/** What each of the selectors asks for in an id, a class, an address or the name of an attribute. */
const hint = new RegExp(adSelectors.map(longestWordOf).join('|'), 'i')

/** Removes the places of advertisements and the banners about cookies. Most pages have none: those lose a look at each element. */
export function removeAds(document: Document): void {
  removeTrackers(document)
  let hasSome = false
  visitElements(document, (element) => {
    hasSome ||= mayBeAd(element)
    return !hasSome
  })
  if (hasSome) removeMatching(document, [adSelectors.join(', ')])
}

/** Pictures from hosts of advertisers count visits, and show nothing. */
function removeTrackers(document: Document): void {
  filterTree(document, (node) => !isElement(node) || node.name !== 'img' || !isAdHost(node.attribs['src'] ?? ''))
}

function isAdHost(address: string): boolean {
  if (!/^\s*(?:https?:)?\/\//i.test(address)) return false
  const host = URL.parse(address, 'http://host.invalid')?.hostname
  return host !== undefined && adHosts.some((ad) => host === ad || host.endsWith(`.${ad}`))
}

function mayBeAd({ attribs }: Element): boolean {
  const { id = '', class: names = '', src = '' } = attribs
  return hint.test(id) || hint.test(names) || hint.test(src) || Object.keys(attribs).some((name) => hint.test(name))
}
