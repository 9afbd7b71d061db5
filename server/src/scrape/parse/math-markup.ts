import { Text, type ChildNode, type Document, type Element, type ParentNode } from 'domhandler'
import { isElement, isText, textOf, visitElements } from './dom-nodes.ts'
import { createElement, replaceNodes } from './edit-tree.ts'

/** Encoding of an `<annotation>` that contains the TeX source of its formula. */
export const texEncoding = 'application/x-tex'

/**
 * Replaces what KaTeX, MathJax 2 and 3, MediaWiki, WordPress and documentation generators write for
 * a formula with a single `<math>`. Block formulas get `display="block"`.
 */
export function normalizeMath(document: Document): void {
  const replacements = new Map<ChildNode, readonly ChildNode[]>()
  collect(document, replacements, 0)
  if (replacements.size > 0) replaceNodes(document, replacements)
}

// Wrappers have these classes as well. Limits how often the text of nested ones is read.
const maxNesting = 3

function collect(parent: ParentNode, replacements: Map<ChildNode, readonly ChildNode[]>, nesting: number): void {
  for (const child of parent.children) {
    if (!isElement(child)) continue
    const isCandidate = nesting < maxNesting && isFormula(child)
    const math = isCandidate ? formulaOf(child) : undefined
    if (math === undefined) collect(child, replacements, isCandidate ? nesting + 1 : nesting)
    else {
      replacements.set(child, [math])
      if (child.name === 'script') for (const drawing of drawingsBefore(child)) replacements.set(drawing, [])
    }
  }
}

const rendererClass = /(?:^|\s)(?:katex(?:-display)?|mwe-math-element)(?:\s|$)/
const imageClass = /(?:^|\s)(?:mwe-math-fallback-image-\w+|latex|tex)(?:\s|$)/
const sourceClass = /(?:^|\s)(?:arithmatex|math)(?:\s|$)/

function isFormula({ name, attribs }: Element): boolean {
  if (name === 'mjx-container') return true
  if (name === 'script') return isTexScript(attribs['type'])
  const names = attribs['class']
  if (names === undefined) return false
  if (name === 'img') return imageClass.test(names)
  return (name === 'span' || name === 'div' || name === 'p') && (rendererClass.test(names) || sourceClass.test(names))
}

/** Whether a script of this type contains TeX, as MathJax 2 writes it. */
export function isTexScript(type: string | undefined): boolean {
  return type !== undefined && /^math\/tex\b/i.test(type.trim())
}

function formulaOf(element: Element): Element | undefined {
  const { name, attribs } = element
  const names = attribs['class'] ?? ''
  if (name === 'script') return makeMath(textOf(element), /mode\s*=\s*display/i.test(attribs['type'] ?? ''))
  if (name === 'img') {
    const source = attribs['alt']?.trim() ?? ''
    return source === '' ? undefined : makeMath(withoutDisplayStyle(source), isBlockImage(names))
  }
  if (name === 'mjx-container' || rendererClass.test(names)) return renderedFormula(element)
  const delimited = delimitedTex(textOf(element))
  return delimited === undefined ? undefined : makeMath(delimited.tex, delimited.isBlock)
}

/** Returns the only `<math>` inside, or what the image beside it says. */
function renderedFormula(element: Element): Element | undefined {
  const formulas: Element[] = []
  const images: Element[] = []
  visitElements(element, (inner) => {
    if (inner.name === 'math') formulas.push(inner)
    if (inner.name === 'img') images.push(inner)
    return inner.name !== 'math'
  })
  const [math, ...others] = formulas
  const [image] = images
  if (others.length > 0) return undefined
  if (math === undefined) return image === undefined ? undefined : formulaOf(image)
  const isBlock =
    element.attribs['display'] === 'true' ||
    /katex-display/.test(element.attribs['class'] ?? '') ||
    (image !== undefined && isBlockImage(image.attribs['class'] ?? ''))
  if (isBlock) math.attribs['display'] = 'block'
  return math
}

function isBlockImage(names: string): boolean {
  return names.includes('fallback-image-display')
}

function withoutDisplayStyle(source: string): string {
  return /^\{\\(?:display|text)style\s([\s\S]*)\}$/.exec(source)?.[1]?.trim() ?? source
}

/** Returns what MathJax 2 has drawn before the script with the source. */
function drawingsBefore(script: Element): readonly ChildNode[] {
  const drawings: ChildNode[] = []
  for (let node = script.prev; node !== null; node = node.prev) {
    if (isText(node) ? node.data.trim() !== '' : !(isElement(node) && isMathJaxDrawing(node))) break
    drawings.push(node)
  }
  while (drawings.length > 0 && isText(drawings.at(-1) ?? script)) drawings.pop()
  return drawings
}

function isMathJaxDrawing({ attribs }: Element): boolean {
  return /(?:^|\s)(?:MathJax|MJXc-)/.test(attribs['class'] ?? '')
}

const delimiters = [
  { open: '\\(', close: '\\)', isBlock: false },
  { open: '\\[', close: '\\]', isBlock: true },
  { open: '$$', close: '$$', isBlock: true },
] as const

function delimitedTex(text: string): { readonly tex: string; readonly isBlock: boolean } | undefined {
  const [before, formula, after] = splitAtTex(text)
  if (before?.text.trim() !== '' || formula?.isBlock === undefined || after?.text.trim() !== '') return undefined
  return { tex: formula.text, isBlock: formula.isBlock }
}

/** A part of a text. `isBlock` is set for formulas only. */
export interface TexPart {
  readonly text: string
  readonly isBlock?: boolean
}

/** Splits a text at formulas between `\(…\)`, `\[…\]` and `$$…$$`. Takes linear time. */
export function splitAtTex(text: string): readonly TexPart[] {
  const parts: TexPart[] = []
  let from = 0
  for (let open = nextOpening(text, 0); open !== undefined;) {
    const end = text.indexOf(open.close, open.at + 2)
    if (end < 0) break
    const tex = text.slice(open.at + 2, end).trim()
    if (tex !== '') {
      parts.push({ text: text.slice(from, open.at) }, { text: tex, isBlock: open.isBlock })
      from = end + 2
    }
    open = nextOpening(text, end + 2)
  }
  return [...parts, { text: text.slice(from) }]
}

function nextOpening(text: string, from: number) {
  const opening = /\\\(|\\\[|\$\$/g
  opening.lastIndex = from
  const match = opening.exec(text)
  const found = delimiters.find(({ open }) => open === match?.[0])
  return match === null || found === undefined ? undefined : { ...found, at: match.index }
}

function makeMath(tex: string, isBlock: boolean): Element {
  const annotation = createElement('annotation', { encoding: texEncoding }, [new Text(tex.trim())])
  return createElement('math', isBlock ? { display: 'block' } : {}, [annotation])
}
