import type { ChildNode, Element } from 'domhandler'
import { collapseSpace } from '../../parse/collapse-space.ts'
import { splitAtTex } from '../../parse/math-markup.ts'
import { isElement, isText, invisibleNames } from '../../parse/dom-nodes.ts'
import { isCodeControl } from './code-block.ts'
import { escapeBrackets, escapeText, writeAddress } from './escape.ts'
import { isHeadingControl } from './heading.ts'
import { writeImage } from './image.ts'
import { writeTex } from './tex.ts'
import type { Writer } from './writer.ts'

interface Link {
  readonly address: string
}

/** A run of text in one style. */
interface Run {
  text: string
  readonly link: Link | undefined
  readonly strong: boolean
  readonly emphasis: boolean
  readonly strike: boolean
  readonly code: boolean
}

type Style = Omit<Run, 'text'>

const plain: Style = { link: undefined, strong: false, emphasis: false, strike: false, code: false }

const stylesByName: Readonly<Record<string, Partial<Style>>> = {
  b: { strong: true },
  strong: { strong: true },
  i: { emphasis: true },
  em: { emphasis: true },
  cite: { emphasis: true },
  dfn: { emphasis: true },
  var: { emphasis: true },
  s: { strike: true },
  strike: { strike: true },
  del: { strike: true },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  tt: { code: true },
}

/** Writes inline nodes with emphasis, links, code and images. Line breaks are line feeds. */
export function writeInline(nodes: readonly ChildNode[], writer: Writer): string {
  const runs: Run[] = []
  for (const node of nodes) collect(node, plain, runs, writer)
  collapse(runs)
  return runs.every(isPlain) ? runs.map(({ text }) => text).join('') : serialise(runs, 0)
}

function isPlain({ link, strong, emphasis, strike, code }: Run): boolean {
  return link === undefined && !strong && !emphasis && !strike && !code
}

function collect(node: ChildNode, style: Style, runs: Run[], writer: Writer): void {
  if (isText(node)) collectText(collapseSpace(node.data), style, runs)
  else if (isElement(node) && !invisibleNames.has(node.name)) collectElement(node, style, runs, writer)
}

function collectText(text: string, style: Style, runs: Run[]): void {
  if (style.code) runs.push({ ...style, text })
  else if (!/\\[([]|\$\$/.test(text)) runs.push({ ...style, text: escapeText(text) })
  else
    for (const part of splitAtTex(text)) {
      if (part.isBlock === undefined) runs.push({ ...style, text: escapeText(part.text) })
      else collectTex(part.text, part.isBlock, style, runs)
    }
}

/** Adds a formula. A block formula becomes a paragraph of its own. */
function collectTex(tex: string, isBlock: boolean, style: Style, runs: Run[]): void {
  if (tex === '') return
  if (!isBlock) runs.push({ ...style, text: `$${tex}$` })
  else for (const text of ['\n', '\n', `$$${tex}$$`, '\n', '\n']) runs.push({ ...plain, text })
}

function collectElement(element: Element, style: Style, runs: Run[], writer: Writer): void {
  const { name, attribs } = element
  const note = writer.footnotes.references.get(element)
  if (note !== undefined) runs.push({ ...plain, text: `[^${note}]` })
  else if (writer.footnotes.omitted.has(element) || isHeadingControl(element) || isCodeControl(element)) return
  else if (name === 'br') runs.push({ ...plain, text: '\n' })
  else if (name === 'img') {
    const image = writeImage(element, writer)
    if (image !== '') runs.push({ ...plain, link: style.link, text: image })
  } else if (name === 'video' || name === 'audio') collectMedia(element, style, runs, writer)
  else if (name === 'math') collectTex(writeTex(element), attribs['display'] === 'block', style, runs)
  else {
    const own = name === 'a' ? linkStyle(element, writer) : stylesByName[name]
    const inner = own === undefined ? style : { ...style, ...own }
    // Separate blocks inside a line, such as joined cells, with a space.
    const isBlock = writer.isBlock(element)
    if (isBlock) runs.push({ ...style, text: ' ' })
    if (name === 'q') runs.push({ ...style, text: '"' })
    for (const child of element.children) collect(child, inner, runs, writer)
    if (name === 'q') runs.push({ ...style, text: '"' })
    if (isBlock) runs.push({ ...style, text: ' ' })
  }
}

function linkStyle(element: Element, writer: Writer): Partial<Style> | undefined {
  const address = writer.resolve(element.attribs['href'])
  return address === undefined ? undefined : { link: { address } }
}

/** Adds a video or a sound as a link to its file. Leaves out videos that only decorate. */
function collectMedia(element: Element, style: Style, runs: Run[], writer: Writer): void {
  const sources = [element, ...element.children.filter(isElement).filter(({ name }) => name === 'source')]
  const address = sources.map(({ attribs }) => writer.resolve(attribs['src'])).find((url) => url !== undefined)
  const { title, 'aria-label': label, controls, autoplay, loop } = element.attribs
  const isDecoration = controls === undefined && (autoplay ?? loop) !== undefined
  if (address === undefined || isDecoration) return
  const text = escapeText((title ?? label ?? '').trim()) || (element.name === 'video' ? 'Video' : 'Audio')
  runs.push({ ...style, link: { address }, text })
}

/** Collapses spaces between runs, and removes them at line edges and breaks. */
function collapse(runs: Run[]): void {
  let isAfterSpace = true
  for (const run of runs) {
    if (run.text === '\n') {
      isAfterSpace = true
      continue
    }
    if (isAfterSpace && run.text.startsWith(' ')) run.text = run.text.slice(1)
    if (run.text !== '') isAfterSpace = run.text.endsWith(' ')
  }
}

const keys = ['link', 'strong', 'emphasis', 'strike', 'code'] as const
const marks: Readonly<Record<string, string>> = { strong: '**', emphasis: '*', strike: '~~' }

/**
 * Writes runs from the outermost style inwards. Adjacent runs with the same style share its marks.
 */
function serialise(runs: readonly Run[], level: number): string {
  const key = keys[level]
  if (key === undefined) return runs.map((run) => run.text).join('')
  if (!runs.some((run) => run[key])) return serialise(runs, level + 1)
  const parts: string[] = []
  let previous = ''
  for (let from = 0; from < runs.length;) {
    const value = runs[from]?.[key]
    let to = from + 1
    while (to < runs.length && (runs[to]?.[key] === value || isInside(runs, to, key, value))) to++
    const inner = serialise(runs.slice(from, to), level + 1)
    const next = runs[to]?.text.at(0) ?? ''
    const part = value === undefined || value === false ? inner : wrap(key, value, inner, previous, next)
    parts.push(part)
    previous = part.at(-1) ?? previous
    from = to
  }
  return parts.join('')
}

/** Whether a run is a break or an unstyled space between two runs of the same style. */
function isInside(
  runs: readonly Run[],
  at: number,
  key: (typeof keys)[number],
  value: Link | boolean | undefined,
): boolean {
  return (
    value !== undefined &&
    value !== false &&
    key !== 'code' &&
    (runs[at]?.text === ' ' || runs[at]?.text === '\n') &&
    runs[at + 1]?.[key] === value
  )
}

function wrap(key: string, value: Link | boolean | undefined, inner: string, previous: string, next: string): string {
  const core = inner.trim()
  if (core === '') return inner
  const lead = inner.slice(0, inner.indexOf(core))
  const tail = inner.slice(inner.indexOf(core) + core.length)
  if (typeof value === 'object') {
    return `${lead}[${/^!\[[^\]]*\]\([^)]*\)$/.test(core) ? core : bracketed(core.replace(/\s*\n\s*/g, ' '))}](${writeAddress(value.address)})${tail}`
  }
  if (key === 'code') return `${lead}${writeCode(core)}${tail}`
  const lines = core
    .split('\n')
    .map((line) => emphasize(line, marks[key] ?? '', lead === '' ? previous : ' ', tail === '' ? next : ' '))
  return `${lead}${lines.join('\n')}${tail}`
}

/** Escapes brackets in the text of a link, but not those of images in it. */
function bracketed(text: string): string {
  return text
    .split(/(!\[[^\]]*\]\([^)]*\)|`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeBrackets(part)))
    .join('')
}

const letter = /[\p{L}\p{N}]/u
const punctuation = /[\p{P}\p{S}]/u

/**
 * Adds emphasis marks that CommonMark recognizes: never between punctuation inside and a letter
 * outside.
 */
function emphasize(line: string, mark: string, previous: string, next: string): string {
  const text = line.trim()
  if (text === '') return ''
  let from = 0
  let to = text.length
  if (letter.test(previous)) while (from < to && punctuation.test(text[from] ?? '')) from++
  if (letter.test(next)) while (to > from && punctuation.test(text[to - 1] ?? '')) to--
  if (from === to) return text
  return `${text.slice(0, from)}${mark}${text.slice(from, to)}${mark}${text.slice(to)}`
}

/** Writes inline code, with more backticks than any run inside has. */
function writeCode(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}
