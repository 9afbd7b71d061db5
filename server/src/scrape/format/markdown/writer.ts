import type { ChildNode, Element } from 'domhandler'

/** Context that the block writers share. */
export interface Writer {
  /** Base URL. With '', relative URLs stay unchanged. */
  readonly base: string
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
