import type { ChildNode, Element } from 'domhandler'
import type { ParsedPage } from '../../parse/parsed-page.ts'
import { isElement, isText, createBlockTest, invisibleNames } from '../../parse/dom-nodes.ts'
import { writeAdmonition } from './admonition.ts'
import { isCodeControl, isCodeTable, writeCodeBlock } from './code-block.ts'
import { escapeLineStart, writeAddress } from './escape.ts'
import { findFootnotes, writeFootnote } from './footnotes.ts'
import { writeHeading } from './heading.ts'
import { writeInline } from './inline.ts'
import { writeDefinitions, writeList } from './list.ts'
import { writeTable } from './table.ts'
import type { Writer } from './writer.ts'

/** Options of the Markdown writer. */
export interface MarkdownOptions {
  /** Replace base64 images (`data:`) with a placeholder. Default: true. */
  readonly removeBase64Images?: boolean | undefined
  /** Collects sentences about content that was left out. */
  readonly warnings?: Set<string> | undefined
}

/** Writes a page as GitHub-flavored Markdown, with absolute URLs. */
export function treeToMarkdown({ document, url, base, resolve }: ParsedPage, options: MarkdownOptions = {}): string {
  const pageUrls = [url, base]
  const writer: Writer = {
    resolve,
    pageUrls,
    footnotes: findFootnotes(document, pageUrls),
    isBlock: createBlockTest(),
    warn: (what) => void options.warnings?.add(what),
    removesBase64Images: options.removeBase64Images ?? true,
    blocks: (nodes) => writeBlocks(nodes, writer),
    inline: (nodes) => writeInline(nodes, writer),
  }
  const blocks = writer.blocks(document.children)
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`
}

function writeBlocks(nodes: readonly ChildNode[], writer: Writer): readonly string[] {
  const blocks: string[] = []
  let run: ChildNode[] = []
  const flush = (): void => {
    if (run.length > 0) for (const paragraph of writeParagraphs(run, writer)) blocks.push(paragraph)
    run = []
  }
  for (const node of nodes) {
    if (isText(node)) run.push(node)
    else if (isElement(node) && !isLeftOut(node, writer)) {
      if (!writer.isBlock(node)) run.push(node)
      else {
        flush()
        for (const block of writeBlock(node, writer)) blocks.push(block)
      }
    }
  }
  flush()
  return blocks
}

function isLeftOut(element: Element, { footnotes }: Writer): boolean {
  return invisibleNames.has(element.name) || footnotes.omitted.has(element) || isCodeControl(element)
}

/** Writes inline nodes as paragraphs, split at double line breaks. */
function writeParagraphs(nodes: readonly ChildNode[], writer: Writer): readonly string[] {
  const text = writer.inline(nodes)
  const line = text.trim()
  if (line === '') return []
  if (!line.includes('\n')) return [escapeLineStart(line)]
  return text
    .split(/\s*\n\s*\n\s*/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) =>
      paragraph
        .split(/ *\n */)
        .map(escapeLineStart)
        .join('  \n'),
    )
}

function writeBlock(element: Element, writer: Writer): readonly string[] {
  const note = writer.footnotes.notes.get(element)
  if (note !== undefined) return [writeFootnote(note, writeElement(element, writer))]
  const admonition = writeAdmonition(element, writer)
  return admonition === undefined ? writeElement(element, writer) : [admonition]
}

function writeElement(element: Element, writer: Writer): readonly string[] {
  const { name } = element
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return writeHeading(element, Number(name[1]), writer)
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return hasNotes(element, writer) ? writer.blocks(element.children) : nonEmpty(writeList(element, writer))
    case 'dl':
      return hasNotes(element, writer) ? writer.blocks(element.children) : writeDefinitions(element, writer)
    case 'table':
      return isCodeTable(element) ? nonEmpty(writeCodeBlock(element)) : writeTable(element, writer)
    case 'pre':
    case 'listing':
    case 'xmp':
      return nonEmpty(writeCodeBlock(element))
    case 'blockquote':
      return nonEmpty(writer.blocks(element.children).join('\n\n').replace(/^/gm, '> ').replace(/ +$/gm, '')).filter(
        (quote) => quote !== '>',
      )
    case 'hr':
      return ['---']
    case 'video':
    case 'audio':
      return nonEmpty(writer.inline([element]).trim())
    case 'summary':
      return writeSummary(element, writer)
    case 'a':
      return writeCard(element, writer)
    default:
      return isCodeTable(element) ? nonEmpty(writeCodeBlock(element)) : writer.blocks(element.children)
  }
}

function hasNotes(list: Element, { footnotes }: Writer): boolean {
  return footnotes.notes.size > 0 && list.children.some((child) => isElement(child) && footnotes.notes.has(child))
}

/** Writes the visible line of `<details>` in bold, unless it has marks of its own. */
function writeSummary(element: Element, writer: Writer): readonly string[] {
  const blocks = writer.blocks(element.children)
  const [line, ...others] = blocks
  const isPlain = others.length === 0 && line !== undefined && !/[\n*]|^(?:#|[-+>|`] ?)/.test(line)
  return isPlain ? [`**${line}**`] : blocks
}

function nonEmpty(block: string): readonly string[] {
  return block === '' ? [] : [block]
}

/**
 * Writes a link around blocks, which Markdown does not have: its heading or first line becomes the
 * link.
 */
function writeCard(element: Element, writer: Writer): readonly string[] {
  const blocks = writer.blocks(element.children)
  const address = writer.resolve(element.attribs['href'])
  if (address === undefined) return blocks
  const canLink = (block: string): boolean =>
    !block.includes('\n') &&
    !/(?<!!)\[[^\]]*\]\(/.test(block.replace(/!\[[^\]]*\]\([^)]*\)/g, '')) &&
    !/^(?:[|>`]|[-+*] |\d+\. )/.test(block)
  const heading = blocks.findIndex((block) => block.startsWith('#') && canLink(block))
  const text = blocks.findIndex((block) => !block.startsWith('![') && canLink(block))
  const chosen = heading >= 0 ? heading : text >= 0 ? text : blocks.findIndex(canLink)
  return blocks.map((block, index) => {
    if (index !== chosen) return block
    const [, lead = '', rest = ''] = /^(#{1,6} )?(.*)$/s.exec(block) ?? []
    return `${lead}[${rest}](${writeAddress(address)})`
  })
}
