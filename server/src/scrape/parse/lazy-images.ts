import type { ChildNode, Document, Element } from 'domhandler'
import { isElement, isText, visitElements } from './dom-nodes.ts'
import { replaceNodes } from './edit-tree.ts'
import { imageSource, isPlaceholder } from './image-source.ts'

/**
 * Replaces images without a URL, which scripts load late, with the image of the `<noscript>` next
 * to them.
 */
export function restoreLazyImages(document: Document): void {
  const replacements = new Map<ChildNode, readonly ChildNode[]>()
  visitElements(document, (element) => {
    if (element.name !== 'noscript') return true
    const [image, ...others] = element.children.filter((child) => !(isText(child) && child.data.trim() === ''))
    const lazy = siblings(element).find(isWithoutUrl)
    if (image === undefined || others.length > 0 || lazy === undefined) return false
    if (isElement(image) && image.name === 'img' && !isWithoutUrl(image)) replacements.set(lazy, [image])
    return false
  })
  if (replacements.size > 0) replaceNodes(document, replacements)
}

/** Returns the elements directly before and after an element. */
function siblings({ prev, next }: Element): readonly Element[] {
  const before = prev !== null && isText(prev) && prev.data.trim() === '' ? prev.prev : prev
  const after = next !== null && isText(next) && next.data.trim() === '' ? next.next : next
  return [before, after].filter((node) => node !== null).filter(isElement)
}

function isWithoutUrl(element: Element): boolean {
  if (element.name !== 'img') return false
  const source = imageSource(element)
  return source === undefined || isPlaceholder(source)
}
