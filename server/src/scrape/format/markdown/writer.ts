import type { ChildNode, Element } from 'domhandler'

/** What the writers of the single kinds of blocks share. */
export interface Writer {
  /** Where relative addresses start from; '' = they stay as they are. */
  readonly base: string
  /** Whether an element starts on a line of its own. */
  readonly isBlock: (element: Element) => boolean
  /** Notes what was left out, as a sentence for the warning. */
  readonly warn: (what: string) => void
  /** Whether images of `data:` addresses give way to a placeholder. */
  readonly removesBase64Images: boolean
  /** The blocks of neighbouring nodes, each without blank lines around it. */
  readonly blocks: (nodes: readonly ChildNode[]) => readonly string[]
  /** The nodes as one line of text; breaks are line feeds. */
  readonly inline: (nodes: readonly ChildNode[]) => string
}
