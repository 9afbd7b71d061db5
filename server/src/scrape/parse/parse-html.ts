import { channel } from 'node:diagnostics_channel'
import { Document, Element, Text } from 'domhandler'
import { Tokenizer, type QuoteType, type TokenizerCallbacks } from 'htmlparser2'
import { truncateHtml, defaultHtmlLimits, type HtmlLimits } from './html-limits.ts'
import { closesOnOpen, inlineNames, leavesForeign, scopeBoundaries, voidNames } from './html-rules.ts'
import { isTexScript } from './math-markup.ts'

/**
 * Publishes the length of each HTML text that this thread parses. It has no subscribers by default.
 */
export const htmlParsed = channel('bowline:html-parsed')

/** Parses HTML into a tree within `limits`. Content beyond them is flattened or left out. */
export function parseHtml(html: string, limits: HtmlLimits = defaultHtmlLimits): Document {
  return parseHtmlWithWarnings(html, limits).document
}

/** Parses HTML as `parseHtml`, and also returns sentences about content that was left out. */
export function parseHtmlWithWarnings(
  html: string,
  limits: HtmlLimits = defaultHtmlLimits,
): { readonly document: Document; readonly warnings: readonly string[] } {
  htmlParsed.publish(html.length)
  const source = withoutCdata(truncateHtml(html, limits.maxLength))
  const builder = new TreeBuilder(source, limits)
  const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: false }, builder)
  tokenizer.write(source)
  tokenizer.end()
  const { document, isTruncated, areAttributesTruncated } = builder
  const [nodes, length, attributes] = [limits.maxNodes, limits.maxLength, limits.maxAttributes].map((count) =>
    count.toLocaleString('en'),
  )
  const warnings = [
    ...(isTruncated ? [`The page has more than ${nodes} elements and texts: the rest was omitted.`] : []),
    ...(source.length < html.length ? [`The page has more than ${length} characters: the rest was omitted.`] : []),
    ...(areAttributesTruncated ? [`An element has more than ${attributes} attributes: the rest was omitted.`] : []),
  ]
  return { document, warnings }
}

/**
 * In HTML, `<![CDATA[` begins a comment that ends at the next `>`. The tokenizer would drop all
 * text up to `]]>`, so it gets a spelling that it does not know.
 */
function withoutCdata(source: string): string {
  // `!` is rarer than `<`, so that a search for it is faster.
  return source.includes('![CDATA[') ? source.replaceAll('<![CDATA[', '<![cdata[') : source
}

// Elements whose content is dropped. JSON-LD is kept for metadata, and TeX for formulas.
const mutedNames = new Set(['script', 'style', 'noembed', 'noframes', 'svg'])

/**
 * Builds the tree from tokens. Uses only the tokenizer of htmlparser2: its parser takes quadratic
 * time on deep nesting.
 */
class TreeBuilder implements TokenizerCallbacks {
  readonly document = new Document([])
  /** Whether nodes beyond `maxNodes` were left out. */
  isTruncated = false
  /** Whether attributes beyond `maxAttributes` were left out. */
  areAttributesTruncated = false
  readonly #source: string
  readonly #limits: HtmlLimits
  readonly #stack: Element[] = []
  readonly #open = new Map<string, number>()
  readonly #flattened = new Map<string, number>()
  #nodes = 0
  #muted = 0
  #foreign = 0
  #tagName = ''
  #attributes: Record<string, string> = {}
  #attributeCount = 0
  #mergedAttributes = 0
  #attributeName = ''
  #attributeValue = ''
  #seen = new Set<string>()

  constructor(source: string, limits: HtmlLimits) {
    this.#source = source
    this.#limits = limits
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  ontext(start: number, end: number): void {
    if (this.#muted === 0) this.#appendText(this.#source.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    if (this.#muted === 0) this.#appendText(String.fromCodePoint(codePoint))
  }

  onopentagname(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase()
    this.#tagName = name === 'image' && this.#foreign === 0 ? 'img' : name
    this.#attributes = {}
    this.#attributeCount = 0
  }

  onattribname(start: number, end: number): void {
    this.#attributeName = this.#source.slice(start, end).toLowerCase()
    this.#attributeValue = ''
  }

  onattribdata(start: number, end: number): void {
    this.#attributeValue += this.#source.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    this.#attributeValue += String.fromCodePoint(codePoint)
  }

  onattribend(_quote: QuoteType, _end: number): void {
    if (Object.hasOwn(this.#attributes, this.#attributeName)) return
    if (this.#attributeCount >= this.#limits.maxAttributes) {
      this.areAttributesTruncated = true
      return
    }
    this.#attributeCount++
    this.#attributes[this.#attributeName] = this.#attributeValue
  }

  onopentagend(): void {
    this.#openElement(false)
  }

  onselfclosingtag(): void {
    this.#openElement(this.#foreign > 0 || this.#tagName === 'svg' || this.#tagName === 'math')
  }

  onclosetag(start: number, end: number): void {
    this.#closeElement(this.#source.slice(start, end).toLowerCase())
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #openElement(isSelfClosing: boolean): void {
    const name = this.#tagName
    if (name === '') return
    if (this.#nodes >= this.#limits.maxNodes) {
      this.isTruncated = true
      return
    }
    if (this.#muted > 0 && this.#foreign > 0 && leavesForeign.has(name)) this.#popTo('svg')
    if (this.#muted > 0) return this.#openMuted(name, isSelfClosing)
    if (name === 'html' || name === 'head' || name === 'body') {
      if (name === 'body') this.#popTo('head')
      if (this.#seen.has(name)) return this.#mergeAttributes(name)
      this.#seen.add(name)
    }
    this.#impliedCloses(name)
    const isVoid = isSelfClosing || voidNames.has(name)
    if (!isVoid && this.#stack.length >= this.#limits.maxDepth) {
      this.#flattened.set(name, (this.#flattened.get(name) ?? 0) + 1)
      return
    }
    const element = new Element(name, this.#attributes)
    this.#append(element)
    if (!isVoid) this.#push(element)
  }

  #openMuted(name: string, isSelfClosing: boolean): void {
    // Of the muted elements, only svg has child elements: count nested ones to find its end tag.
    if (name === 'svg' && !isSelfClosing) this.#muted++
  }

  #push(element: Element): void {
    const name = element.name
    this.#stack.push(element)
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
    if (mutedNames.has(name) && !isStructuredText(element)) this.#muted = 1
    if (name === 'svg' || name === 'math') this.#foreign++
  }

  #pop(): Element | undefined {
    const element = this.#stack.pop()
    if (element === undefined) return undefined
    this.#open.set(element.name, (this.#open.get(element.name) ?? 1) - 1)
    if (element.name === 'svg' || element.name === 'math') this.#foreign--
    if (mutedNames.has(element.name)) this.#muted = 0
    return element
  }

  #popTo(name: string): void {
    if ((this.#open.get(name) ?? 0) === 0) return
    while (this.#stack.length > 0 && this.#pop()?.name !== name) continue
  }

  #impliedCloses(name: string): void {
    if (!inlineNames.has(name) && name !== 'body' && (this.#open.get('head') ?? 0) > 0 && !headNames.has(name)) {
      this.#popTo('head')
    }
    for (const closed of closesOnOpen(name)) {
      if ((this.#open.get(closed) ?? 0) > 0) this.#closeInScope(closed)
    }
  }

  #closeInScope(name: string): void {
    const boundaries = scopeBoundaries(name)
    for (let index = this.#stack.length - 1; index >= 0; index--) {
      const open = this.#stack[index]
      if (open === undefined) return
      if (open.name === name) {
        while (this.#stack.length > index) this.#pop()
        return
      }
      if (boundaries.has(open.name)) return
    }
  }

  #closeElement(name: string): void {
    if (this.#muted > 0) {
      const top = this.#stack.at(-1)
      if (top?.name === name && --this.#muted === 0) this.#pop()
      return
    }
    if (name === 'html' || name === 'body') return
    if (name === 'br') {
      this.#append(new Element('br', {}))
      return
    }
    const flattened = this.#flattened.get(name) ?? 0
    if (flattened > 0) {
      this.#flattened.set(name, flattened - 1)
      return
    }
    if ((this.#open.get(name) ?? 0) === 0) return
    if (inlineNames.has(name)) this.#closeInline(name)
    else this.#closeInScope(name)
  }

  /** Closes an inline element. A block that is still open inside it stays open, as in browsers. */
  #closeInline(name: string): void {
    for (let index = this.#stack.length - 1; index >= 0; index--) {
      const open = this.#stack[index]
      if (open === undefined || open.name === 'td' || open.name === 'th' || open.name === 'table') return
      if (open.name !== name) continue
      if (this.#stack.slice(index + 1).every((inner) => inlineNames.has(inner.name))) {
        while (this.#stack.length > index) this.#pop()
      } else {
        this.#stack.splice(index, 1)
        this.#open.set(name, (this.#open.get(name) ?? 1) - 1)
      }
      return
    }
  }

  /**
   * Adds the attributes of a repeated `html`, `head` or `body` to the open one, as browsers do. The
   * number of added attributes is limited for the whole page, since it can repeat them endlessly.
   */
  #mergeAttributes(name: string): void {
    if ((this.#open.get(name) ?? 0) === 0) return
    const attribs = this.#stack.find((each) => each.name === name)?.attribs ?? {}
    for (const [attribute, value] of Object.entries(this.#attributes)) {
      if (Object.hasOwn(attribs, attribute)) continue
      if (this.#mergedAttributes >= this.#limits.maxAttributes) this.areAttributesTruncated = true
      else {
        this.#mergedAttributes++
        attribs[attribute] = value
      }
    }
  }

  #appendText(text: string): void {
    const siblings = (this.#stack.at(-1) ?? this.document).children
    const last = siblings.at(-1)
    if (last instanceof Text) last.data += text
    else if (this.#nodes < this.#limits.maxNodes) this.#append(new Text(text))
    else this.isTruncated ||= text.trim() !== ''
  }

  #append(node: Element | Text): void {
    const parent = this.#stack.at(-1) ?? this.document
    const last = parent.children.at(-1)
    node.parent = parent
    if (last !== undefined) {
      node.prev = last
      last.next = node
    }
    parent.children.push(node)
    this.#nodes++
  }
}

const headNames = new Set([
  'title',
  'meta',
  'link',
  'base',
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'html',
  'basefont',
])

function isStructuredText(element: Element): boolean {
  const type = element.attribs['type']?.trim()
  return element.name === 'script' && (isTexScript(type) || /^application\/(ld\+)?json/i.test(type ?? ''))
}
