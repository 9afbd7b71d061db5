import type { Document } from 'domhandler'
import { parseJson } from 'bowline/kit/parse-json'
import { textOf, visitElements } from '../dom-nodes.ts'
import { list, record, type Node } from './node.ts'

/** Maximum number of characters of all JSON-LD of a page, and of its nodes. */
const maxCharacters = 2_000_000
const maxNodes = 2000

/** Returns the top-level nodes of the JSON-LD of a page. Skips invalid JSON. */
export function readJsonLd(document: Document): readonly Node[] {
  const nodes: Node[] = []
  let characters = 0
  visitElements(document, (element) => {
    if (element.name !== 'script' || !/^application\/ld\+json\b/i.test(element.attribs['type']?.trim() ?? '')) return
    const text = textOf(element)
    characters += text.length
    if (characters <= maxCharacters) nodes.push(...topNodes(parseJson(text)))
  })
  return nodes.slice(0, maxNodes)
}

/** The nodes of a list, of `@graph`, and the main subject of a page. */
function topNodes(value: unknown): readonly Node[] {
  const nodes: Node[] = []
  for (const each of list(value)) {
    const inner = record(each)
    for (const one of [each, ...list(inner?.['@graph']), ...list(inner?.['mainEntity'])]) {
      const node = record(one)
      if (node !== undefined) nodes.push(node)
    }
  }
  return nodes
}
