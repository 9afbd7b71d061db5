import type { ChildNode, Element } from 'domhandler'
import { isElement, isText, textOf, invisibleNames } from '../../parse/dom-nodes.ts'

/** Writes a fenced code block with its language. Returns '' for an empty one. */
export function writeCodeBlock(pre: Element): string {
  const text = codeText(pre).replace(/^\n+|\s+$/g, '')
  if (text === '') return ''
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${languageOf(pre)}\n${text}\n${fence}`
}

const ownLine = new Set('div p li tr table tbody'.split(' '))
const numbering =
  /(?:^|[\s-])(?:line-?numbers?(?:-rows|-wrapper)?|linenos?|linenodiv|gutter|blob-num|ln-num|hljs-ln-numbers|codeLineNumber_\w+)(?:$|\s)|(?:^|\s)lnt?(?:$|\s)/i

function codeText(pre: Element): string {
  let text = ''
  const walk = (node: ChildNode): void => {
    if (isText(node)) text += node.data
    else if (isElement(node)) {
      if (node.name === 'br') text += '\n'
      if (invisibleNames.has(node.name) || node.name === 'button' || isNumbering(node)) return
      const isOwnLine = ownLine.has(node.name)
      if (isOwnLine && text !== '' && !text.endsWith('\n')) text += '\n'
      for (const child of node.children) walk(child)
      if (isOwnLine && !text.endsWith('\n')) text += '\n'
    }
  }
  for (const child of pre.children) walk(child)
  return text.replaceAll('\u00a0', ' ')
}

/**
 * Whether an element other than `<pre>` is a code block: a table with a row per line of code, or
 * the output of SyntaxHighlighter.
 */
export function isCodeTable({ name, attribs }: Element): boolean {
  if (name !== 'table' && name !== 'div') return false
  return /(?:^|\s)(?:js-file-line-container|syntaxhighlighter)(?:\s|$)/.test(attribs['class'] ?? '')
}

const copyLabel = /^(?:copy(?: (?:code|to clipboard))?|copied!?)$/i

/** Whether an element copies a code block, names its language or numbers its lines. */
export function isCodeControl(element: Element): boolean {
  const { name, attribs, next } = element
  const names = attribs['class'] ?? ''
  if (name === 'clipboard-copy') return true
  if (name === 'button') return copyLabel.test(textOf(element).trim())
  if (name === 'span' && names === 'lang') return next !== null && isElement(next) && next.name === 'pre'
  return name === 'div' && attribs['aria-hidden'] === 'true' && isNumbering(element)
}

/** Whether an element contains line numbers. */
export function isNumbering(element: Element): boolean {
  return element.name !== 'pre' && element.name !== 'code' && numbering.test(element.attribs['class'] ?? '')
}

const named =
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush|sourcecode|prettyprint\s+lang)(?:-|:\s*)([\w+#.]+)/i
const beside = /(?:^|\s)(?:hljs|sourceCode|prism|shiki|codehilite|syntaxhighlighter)\s+([\w+#]+)(?:\s|$)/
const noLanguage = new Set(
  'none text plain plaintext default notranslate nohighlight txt source numbersource wrapper language literal'.split(
    ' ',
  ),
)

/**
 * Returns the language of a code block, from `<pre>`, `<code>` or the two nearest ancestors, or ''.
 */
export function languageOf(pre: Element): string {
  const code = pre.children.filter(isElement).find((child) => child.name === 'code')
  const parent = pre.parent !== null && isElement(pre.parent) ? pre.parent : undefined
  const grandparent =
    parent?.parent !== undefined && parent.parent !== null && isElement(parent.parent) ? parent.parent : undefined
  for (const element of [code, pre, parent, grandparent]) {
    if (element === undefined) continue
    const { attribs } = element
    const names = attribs['class'] ?? ''
    const found = attribs['data-lang'] ?? attribs['data-language'] ?? named.exec(names)?.[1] ?? beside.exec(names)?.[1]
    if (found !== undefined && /^[\w+#.-]+$/.test(found) && !noLanguage.has(found.toLowerCase()))
      return found.toLowerCase()
  }
  return ''
}
