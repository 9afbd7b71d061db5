import { evaluateFunction } from './evaluate.ts'
import { listFrames, type Frame } from './frames.ts'
import type { Tab } from './tab.ts'

/** What a frame's document is, as text: shadow trees written out as `<template shadowrootmode>`. */
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
  return tag + root.getHTML({ shadowRoots: roots }) + '</' + root.localName + '>'
}`

const mark = 'data-bowline-frame'

/** A page as it stands. */
export interface SerializedPage {
  /** Where it is by now. */
  readonly url: string
  readonly html: string
}

/** The document of a page with the content of its frames, of other sites too, in place of them, and shadow trees written out. */
export async function serializePage(tab: Tab): Promise<SerializedPage> {
  // A page that counts no frames is read at once. It may have changed how it counts them, so it is not believed.
  const [frames, page] = await Promise.all([listFrames(tab), evaluateFunction(tab, readUnlessFramed)])
  if (frames.length === 0) return (page as SerializedPage | null) ?? readPage(tab)
  const parts = new Map<string, string>()
  for (const frame of frames) {
    // A frame may go while it is read: the page is worth more than any of its frames.
    await markOwner(tab, frame).catch(() => undefined)
  }
  for (const frame of frames) parts.set(frame.frameId, bodyOf(await readFrame(tab, frame).catch(() => '')))
  const { url, html } = await readPage(tab)
  return { url, html: insertFrames(html, parts) }
}

const read = `() => ({ url: location.href, html: '<!doctype html>' + (${serialize})() })`

const readUnlessFramed = `() => window.length > 0 ? null : (${read})()`

async function readPage(tab: Tab): Promise<SerializedPage> {
  return (await evaluateFunction(tab, read)) as SerializedPage
}

async function markOwner(tab: Tab, { frameId, ownerSession }: Frame): Promise<void> {
  const { backendNodeId } = await tab.call('DOM.getFrameOwner', { frameId }, ownerSession)
  const { object } = await tab.call('DOM.resolveNode', { backendNodeId }, ownerSession)
  const { objectId } = object as { readonly objectId: string }
  const functionDeclaration = `function (id) { this.setAttribute('${mark}', id) }`
  await tab.call(
    'Runtime.callFunctionOn',
    { objectId, functionDeclaration, arguments: [{ value: frameId }] },
    ownerSession,
  )
}

async function readFrame(tab: Tab, { frameId, session }: Frame): Promise<string> {
  const { executionContextId } = await tab.call('Page.createIsolatedWorld', { frameId }, session)
  const expression = `(${serialize})()`
  const answer = await tab.call(
    'Runtime.evaluate',
    { expression, contextId: executionContextId, returnByValue: true },
    session,
  )
  return (answer['result'] as { readonly value?: string }).value ?? ''
}

function bodyOf(html: string): string {
  const start = /<body\b[^>]*>/i.exec(html)
  const end = html.lastIndexOf('</body>')
  return start === null ? html : html.slice(start.index + start[0].length, end === -1 ? undefined : end)
}

/** Puts the contents of frames, by their ids, in the places of their elements, each once: a page may copy the mark of a frame at will. */
export function insertFrames(html: string, parts: ReadonlyMap<string, string>): string {
  const left = new Map(parts)
  const insert = (text: string, depth: number): string =>
    // No attribute is written with a bracket: a search that fails ends at the next one, and not 20,000 letters later.
    text.replaceAll(
      new RegExp(`<i?frame\\b[^<>]{0,20000}?\\b${mark}="([0-9A-F]+)"[^<>]*>(?:[^<]*</i?frame>)?`, 'gi'),
      (_, id: string) => {
        const content = left.get(id) ?? ''
        left.delete(id)
        return `<div data-frame>${depth < 5 ? insert(content, depth + 1) : content}</div>`
      },
    )
  return insert(html, 0)
}
