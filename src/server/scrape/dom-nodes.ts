import { ElementType } from 'domelementtype'
import type { AnyNode, Element, Text } from 'domhandler'

/** Whether a node is an element. */
export const isElement = (node: AnyNode): node is Element =>
  node.type === ElementType.Tag || node.type === ElementType.Script || node.type === ElementType.Style

/** Whether a node is text. */
export const isText = (node: AnyNode): node is Text => node.type === ElementType.Text
