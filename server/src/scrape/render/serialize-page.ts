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
  const parts = new Map<string, string>()
  for (const frame of frames) {
    // A frame may disappear while it is read. Continue with the others.
    await markOwner(frame).catch(() => undefined)
  }
  // A frame that has disappeared is left empty.
  let length = 0
  for (const frame of frames) {
    const part = bodyOf(await readFrame(frame).catch(() => ''))
    length += part.length
    if (length > maxLength) break
    parts.set(frame.frameId, part)
  }
  const { url, html } = await readPage(tab)
  return { url, html: insertFrames(html, parts) }
}

/** Returns the URL and the HTML as one text: a page can add any number of values to an object. */
const read = `() => location.href + '\\n<!doctype html>' + (${serialize})()`

const readUnlessFramed = `() => window.length > 0 ? null : (${read})()`

async function readPage(tab: Tab): Promise<SerializedPage> {
  return toPage((await evaluateText(tab, read)) ?? '')
}

function toPage(text: string): SerializedPage {
  const end = text.indexOf('\n')
  return { url: text.slice(0, end), html: text.slice(end + 1) }
}

async function markOwner({ frameId, callOwner }: Frame): Promise<void> {
  const { backendNodeId } = await callOwner('DOM.getFrameOwner', { frameId })
  const { object } = await callOwner('DOM.resolveNode', { backendNodeId })
  const functionDeclaration = `function (id) { this.setAttribute('${mark}', id) }`
  const { objectId } = object
  await callOwner('Runtime.callFunctionOn', { objectId, functionDeclaration, arguments: [{ value: frameId }] })
}

async function readFrame({ frameId, call }: Frame): Promise<string> {
  const { executionContextId: contextId } = await call('Page.createIsolatedWorld', { frameId })
  const { result } = await call('Runtime.evaluate', {
    expression: `(${serialize})()`,
    contextId,
  })
  return typeof result.value === 'string' ? result.value : ''
}

function bodyOf(html: string): string {
  const start = /<body\b[^>]*>/i.exec(html)
  const end = html.lastIndexOf('</body>')
  return start === null ? html : html.slice(start.index + start[0].length, end === -1 ? undefined : end)
}

/**
 * Replaces frame elements with the contents of their frames. Each is inserted once, since a page
 * may copy the mark.
 */
export function insertFrames(html: string, parts: ReadonlyMap<string, string>): string {
  const remaining = new Map(parts)
  const insert = (text: string, depth: number): string =>
    // `[^<>]` ends a failed match at the next bracket instead of 20,000 characters later.
    text.replaceAll(
      new RegExp(`<i?frame\\b[^<>]{0,20000}?\\b${mark}="([0-9A-F]+)"[^<>]*>(?:[^<]*</i?frame>)?`, 'gi'),
      (_, id: string) => {
        const content = remaining.get(id) ?? ''
        remaining.delete(id)
        return `<div data-frame>${depth < 5 ? insert(content, depth + 1) : content}</div>`
      },
    )
  return insert(html, 0)
}
