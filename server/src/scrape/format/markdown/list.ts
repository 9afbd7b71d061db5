import type { ChildNode, Element } from 'domhandler'
import { isElement, isText } from '../../parse/dom-nodes.ts'
import type { Writer } from './writer.ts'

const listNames = new Set(['ul', 'ol', 'menu', 'dir'])

/** Writes a list with nested lists, numbers and task boxes. Returns '' for an empty one. */
export function writeList(list: Element, writer: Writer): string {
  const items: string[] = []
  let isLoose = false
  let number = Number.parseInt(list.attribs['start'] ?? '1', 10)
  if (!Number.isSafeInteger(number) || number < 0) number = 1
  for (const child of list.children) {
    if (isText(child) && child.data.trim() === '') continue
    if (isElement(child) && listNames.has(child.name)) {
      const nested = writeList(child, writer)
      const above = items.pop()
      if (above === undefined) items.push(...nonEmpty(nested))
      else items.push(nested === '' ? above : `${above}\n${indent(nested, list.name === 'ol' ? 3 : 2)}`)
      continue
    }
    const isItem = isElement(child) && child.name === 'li'
    if (isItem && /^\d{1,9}$/.test(child.attribs['value'] ?? '')) number = Number(child.attribs['value'])
    const marker = list.name === 'ol' ? `${number}. ` : '- '
    const content = isItem ? child.children : [child]
    const blocks = writer.blocks(content)
    if (blocks.length === 0) continue
    if (blocks.filter((block) => !startsLikeList(block)).length > 1) isLoose = true
    items.push(`${marker}${taskBox(content)}${indent(joinItem(blocks), marker.length).trimStart()}`)
    number++
  }
  return items.join(isLoose ? '\n\n' : '\n')
}

function nonEmpty(text: string): readonly string[] {
  return text === '' ? [] : [text]
}

function startsLikeList(block: string): boolean {
  return /^(?:[-+*]|\d+\.) /.test(block)
}

function joinItem(blocks: readonly string[]): string {
  return blocks.reduce(
    (text, block) => (text === '' ? block : `${text}${startsLikeList(block) ? '\n' : '\n\n'}${block}`),
    '',
  )
}

/** Indents every non-blank line by `width` spaces. */
export function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width))
}

/** Returns `[ ] ` or `[x] ` if an item starts with a checkbox. */
function taskBox(nodes: readonly ChildNode[]): string {
  for (const node of nodes) {
    if (isText(node)) {
      if (node.data.trim() !== '') return ''
    } else if (isElement(node)) {
      if (node.name === 'input') {
        if (node.attribs['type']?.toLowerCase() !== 'checkbox') return ''
        return node.attribs['checked'] === undefined ? '[ ] ' : '[x] '
      }
      if (node.name !== 'label' && node.name !== 'p' && node.name !== 'span' && node.name !== 'div') return ''
      const inner = taskBox(node.children)
      if (inner !== '') return inner
    }
  }
  return ''
}

/**
 * Writes a definition list: each term on a line, its definitions on lines that start with a colon.
 */
export function writeDefinitions(list: Element, writer: Writer): readonly string[] {
  const blocks: string[] = []
  let open = ''
  const flush = (): void => {
    if (open !== '') blocks.push(open)
    open = ''
  }
  let isAfterDefinition = false
  const add = (child: ChildNode): void => {
    if (!isElement(child)) {
      if (isText(child) && child.data.trim() !== '') blocks.push(...writer.blocks([child]))
    } else if (child.name === 'dt') {
      const term = writer
        .inline(child.children)
        .replace(/\s*\n\s*/g, ' ')
        .trim()
      if (isAfterDefinition) flush()
      isAfterDefinition = false
      if (term !== '') open += `${open === '' ? '' : '\n'}${term}`
    } else if (child.name === 'dd') {
      const text = indent(writer.blocks(child.children).join('\n\n'), 2).trimStart()
      if (text !== '') open += open === '' ? text : `\n: ${text}`
      isAfterDefinition = true
    } else if (child.name === 'div') child.children.forEach(add)
    else {
      flush()
      blocks.push(...writer.blocks([child]))
    }
  }
  list.children.forEach(add)
  flush()
  return blocks
}
