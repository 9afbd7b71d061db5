import type { ChildNode, Element } from 'domhandler'
import { isElement, isText, textOf } from '../../parse/dom-nodes.ts'
import { fragmentOf } from './footnotes.ts'
import type { Writer } from './writer.ts'

/** Writes a heading on one line. Returns `[]` for an empty one. */
export function writeHeading(element: Element, level: number, writer: Writer): readonly string[] {
  const text = writer
    .inline(element.children.flatMap((child) => withoutSelfLink(child, element, writer)))
    .replace(/\s*\n\s*/g, ' ')
    .trim()
  const unmarked = /^\*\*(?:(?!\*\*).)+\*\*$/.test(text) ? text.slice(2, -2) : text
  return unmarked === '' ? [] : [`${'#'.repeat(level)} ${unmarked}`]
}

/** Unwraps a link around a whole heading that leads to the heading itself, as in mdBook. */
function withoutSelfLink(node: ChildNode, heading: Element, { pageUrls }: Writer): readonly ChildNode[] {
  if (!isElement(node) || node.name !== 'a' || fragmentOf(node.attribs['href'], pageUrls) === undefined) return [node]
  const others = heading.children.filter((child) => child !== node)
  return others.some((other) => textIn(other) !== '') ? [node] : node.children
}

function textIn(node: ChildNode): string {
  return isText(node) ? node.data.trim() : isElement(node) ? textOf(node).trim() : ''
}

const permalinkNames =
  /(?:^|[\s_-])(?:(?:header|heading)?-?anchors?(?:js-link)?|permalink|headerlink|hash-link|header-link|sl-anchor-link|doc-anchor)(?:$|[\s_-])/i

/** Whether an element next to or in a heading only links to it or edits it. */
export function isHeadingControl(element: Element): boolean {
  const names = element.attribs['class'] ?? ''
  if (element.name === 'span') return /(?:^|\s)mw-editsection(?:\s|$)/.test(names)
  if (element.name !== 'a' || element.attribs['href']?.includes('#') !== true) return false
  const text = textOf(element).replace(/[\s\u200b\ufeff]+/g, '')
  return (
    /^(?:[#¶§🔗⚓]|\[#\])$/u.test(text) || (permalinkNames.test(names) && (text === '' || /sl-anchor-link/.test(names)))
  )
}
