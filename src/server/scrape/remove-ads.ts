import type { Document, Element } from 'domhandler'
import { visitElements } from './dom-nodes.ts'
import { removeMatching } from './pick-elements.ts'
import { adSelectors } from './render/ad-hosts.ts'

const longestWordOf = (selector: string): string =>
  (selector.match(/[\w-]+/g) ?? []).reduce((longest, word) => (word.length > longest.length ? word : longest), '')

/** What each of the selectors asks for in an id, a class, an address or the name of an attribute. */
const hint = new RegExp(adSelectors.map(longestWordOf).join('|'), 'i')

/** Removes the places of advertisements and the banners about cookies. Most pages have none: those lose a look at each element. */
export const removeAds = (document: Document): void => {
  let hasSome = false
  visitElements(document, (element) => {
    hasSome ||= mayBeAd(element)
    return !hasSome
  })
  if (hasSome) removeMatching(document, [adSelectors.join(', ')])
}

const mayBeAd = ({ attribs }: Element): boolean => {
  const { id = '', class: names = '', src = '' } = attribs
  return hint.test(id) || hint.test(names) || hint.test(src) || Object.keys(attribs).some((name) => hint.test(name))
}
