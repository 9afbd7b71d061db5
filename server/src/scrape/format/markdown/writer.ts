import type { ChildNode, Element } from 'domhandler'
import type { UrlResolver } from '../../parse/resolve-url.ts'
import type { Footnotes } from './footnotes.ts'

/** Context that the block writers share. */
export interface Writer {
  readonly resolve: UrlResolver
  /** URL of the page and its base. Fragments of these lead into the page. */
  readonly pageUrls: readonly string[]
  readonly footnotes: Footnotes
  /** Whether an element is a block. */
  readonly isBlock: (element: Element) => boolean
  /** Adds a sentence to the warning, such as about content that was left out. */
  readonly warn: (what: string) => void
  /** Whether base64 images are replaced with a placeholder. */
  readonly removesBase64Images: boolean
  /** Writes adjacent nodes as blocks, each without surrounding blank lines. */
  readonly blocks: (nodes: readonly ChildNode[]) => readonly string[]
  /** Writes nodes as one line of text. Line breaks are line feeds. */
  readonly inline: (nodes: readonly ChildNode[]) => string
}
