import type { CdpCall } from '../../cdp/protocol.ts'
import { evaluateText } from './evaluate.ts'
import { listFrames, type Frame } from './frames.ts'
import type { Tab } from './tab.ts'

/** Maximum length of the HTML, in characters. Longer HTML is not parsed completely. */
const maxLength = 20_000_001

/** Serializes a document, with shadow trees as `<template shadowrootmode>`. Runs in the page. */
const serialize = `() => {
  const roots = []
  const find = (node) => {
    for (const element of node.querySelectorAll('*')) {
      if (element.shadowRoot) { roots.push(element.shadowRoot); find(element.shadowRoot) }
    }
  }
  find(document)
  const root = document.documentElement
  if (!root) return ''
  const tag = root.cloneNode(false).outerHTML.replace(/<\\/[^>]*>$/, '')
  return (tag + root.getHTML({ shadowRoots: roots }) + '</' + root.localName + '>').slice(0, ${maxLength})
}`

const mark = 'data-bowline-frame'

/** Isolated world in which frames are read, so that the page can neither see nor change it. */
const worldName = 'bowline-scrape'

/** Id of the frame in each frame element, in the isolated world of its document. */
const frameIds = 'frameIds'

/** Records the frame in a frame element. Runs in the isolated world. */
const recordFrame = `function (id) { (globalThis.${frameIds} ??= new WeakMap()).set(this, id) }`

/**
 * Serializes a document with its shadow trees, and marks its recorded frame elements. It works on
 * an inert copy, because the page would notice a mark in its own tree. Runs in the isolated world.
 */
const serializeMarked = `() => {
  const ids = globalThis.${frameIds} ?? new WeakMap()
  const inert = document.implementation.createHTMLDocument('')
  const roots = []
  const complete = (source, copy) => {
    const copies = copy.querySelectorAll('*')
    source.querySelectorAll('*').forEach((element, index) => {
      const copied = copies[index]
      const id = ids.get(element)
      if (id !== undefined) copied.setAttribute('${mark}', id)
      // Without scripts, the text in it would be escaped.
      if (element.localName === 'noscript') copied.innerHTML = element.textContent
      if (!element.shadowRoot) return
      const shadow = copied.shadowRoot ?? copied.attachShadow({ mode: 'open' })
      shadow.replaceChildren(...Array.from(element.shadowRoot.childNodes, (node) => inert.importNode(node, true)))
      roots.push(shadow)
      complete(element.shadowRoot, shadow)
    })
  }
  if (!document.documentElement) return ''
  const root = inert.importNode(document.documentElement, true)
  complete(document.documentElement, root)
  const tag = root.cloneNode(false).outerHTML.replace(/<\\/[^>]*>$/, '')
  return (tag + root.getHTML({ shadowRoots: roots }) + '</' + root.localName + '>').slice(0, ${maxLength})
}`

/** HTML of a page in its current state. */
export interface SerializedPage {
  /** Current URL. */
  readonly url: string
  readonly html: string
}

/**
 * Serializes a page with its shadow trees, and with the content of its frames, including
 * cross-origin ones, inlined.
 */
export async function serializePage(tab: Tab): Promise<SerializedPage> {
  // Most pages have no frames and are read at once. `window.length` is not reliable, since a page
  // can override it.
  const [frames, page] = await Promise.all([listFrames(tab), evaluateText(tab, readUnlessFramed)])
  if (frames.length === 0) return page === undefined ? readPage(tab) : toPage(page)
  const worlds = new Map<string, Promise<number>>()
  const parts = new Map<string, string>()
  for (const frame of frames) {
    // A frame may disappear while it is read. Continue with the others.
    await recordOwner(frame, worlds).catch(() => undefined)
  }
  // A frame that has disappeared is left empty.
  let length = 0
  for (const frame of frames) {
    const part = bodyOf(await readInWorld(frame, serializeMarked, worlds).catch(() => ''))
    length += part.length
    if (length > maxLength) {
      tab.warnings.add('The frames of the page have more than 20,000,000 characters: the rest was omitted.')
      break
    }
    parts.set(frame.frameId, part)
  }
  const main = { frameId: tab.targetId, call: tab.call }
  const { url, html } = toPage(await readInWorld(main, readMarked, worlds))
  return { url, html: insertFrames(html, parts) }
}

/** Returns the URL and the HTML as one text: a page can add any number of values to an object. */
const read = `() => location.href + '\\n<!doctype html>' + (${serialize})()`

/** The same, with marked frame elements. */
const readMarked = `() => location.href + '\\n<!doctype html>' + (${serializeMarked})()`

const readUnlessFramed = `() => window.length > 0 ? null : (${read})()`

async function readPage(tab: Tab): Promise<SerializedPage> {
  return toPage((await evaluateText(tab, read)) ?? '')
}

function toPage(text: string): SerializedPage {
  const end = text.indexOf('\n')
  return { url: text.slice(0, end), html: text.slice(end + 1) }
}

async function recordOwner({ frameId, parentId, callOwner }: Frame, worlds: Worlds): Promise<void> {
  const executionContextId = await worldOf(parentId, callOwner, worlds)
  const { backendNodeId } = await callOwner('DOM.getFrameOwner', { frameId })
  const { object } = await callOwner('DOM.resolveNode', { backendNodeId, executionContextId })
  const { objectId } = object
  const call = { objectId, functionDeclaration: recordFrame, arguments: [{ value: frameId }] }
  await callOwner('Runtime.callFunctionOn', call)
}

/** Runs a function, given as source, in the isolated world of a frame. Returns its text. */
async function readInWorld(
  { frameId, call }: Pick<Frame, 'frameId' | 'call'>,
  source: string,
  worlds: Worlds,
): Promise<string> {
  const contextId = await worldOf(frameId, call, worlds)
  const { result } = await call('Runtime.evaluate', { expression: `(${source})()`, contextId })
  return typeof result.value === 'string' ? result.value : ''
}

/** Ids of the isolated worlds, by frame. */
type Worlds = Map<string, Promise<number>>

async function worldOf(frameId: string, call: CdpCall, worlds: Worlds): Promise<number> {
  const contextId =
    worlds.get(frameId) ??
    call('Page.createIsolatedWorld', { frameId, worldName }).then(({ executionContextId }) => executionContextId)
  worlds.set(frameId, contextId)
  return contextId
}

/** Returns the HTML inside the body. The rest of a document cut at the maximum may have no `>`. */
export function bodyOf(html: string): string {
  const tag = html.search(/<body\b/i)
  const start = tag === -1 ? -1 : html.indexOf('>', tag)
  const end = html.lastIndexOf('</body>')
  return start === -1 ? html : html.slice(start + 1, end === -1 ? undefined : end)
}

/**
 * Replaces frame elements with the contents of their frames. Each is inserted once, since a page
 * may copy the mark.
 */
export function insertFrames(html: string, parts: ReadonlyMap<string, string>): string {
  const remaining = new Map(parts)
  // Joined once at the end. Otherwise, each level would copy the text of all levels below it.
  const pieces: string[] = []
  const insert = (text: string): void => {
    let end = 0
    for (const { 0: element, 1: id = '', index } of text.matchAll(frameElement)) {
      const content = remaining.get(id) ?? ''
      remaining.delete(id)
      pieces.push(text.slice(end, index), '<div data-frame>')
      insert(content)
      pieces.push('</div>')
      end = index + element.length
    }
    pieces.push(text.slice(end))
  }
  insert(html)
  return pieces.join('')
}

/**
 * A marked frame element. `[^<>]` ends a failed match at the next bracket, and the limits one
 * without brackets.
 */
const frameElement = new RegExp(
  `<i?frame\\b[^<>]{0,20000}?\\b${mark}="([0-9A-F]+)"[^<>]{0,20000}>(?:[^<]*</i?frame>)?`,
  'gi',
)
