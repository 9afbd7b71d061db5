import { estimateTokens } from './estimate-tokens.ts'
import { closestRef, type SnapshotNode } from './snapshot-node.ts'

/** Settings of one line of a snapshot. */
export interface LineOptions {
  /** Maximum number of characters of a name or a text. Longer ones are cut. */
  readonly maxTextLength: number
  /** Whether links show their URL. */
  readonly hasUrls: boolean
}

/** Roles whose elements are omitted and replaced by their children. */
const transparentRoles: ReadonlySet<string> = new Set(['generic', 'rowgroup', 'document', 'fragment'])

/** Whether an element is omitted from the snapshot and replaced by its children. */
export function isTransparent({ role, name, text, isInteractive }: SnapshotNode): boolean {
  return transparentRoles.has(role) && name === '' && text === '' && !isInteractive
}

/** Formats a node as `role "name" [states] [ref]: text`, without what it contains. */
export function formatLine(node: SnapshotNode, { maxTextLength, hasUrls }: LineOptions): string {
  const { role, name, text, ref, states, url, placeholder, isInteractive } = node
  const shownName = cut(name, maxTextLength)
  // The name of many elements is their text.
  const shownText = text === name ? '' : cut(text, maxTextLength)
  const isCut = shownName.length < name.length || (shownText !== '' && shownText.length < text.length)
  if (role === 'text') return `text: ${shownText}${isCut ? ` (${text.length} characters in ${closestRef(node)})` : ''}`
  return [
    role === 'generic' ? 'element' : role,
    ...(name === '' ? [] : [quote(shownName)]),
    ...states.map((state) => `[${state}]`),
    ...(ref !== '' && (isInteractive || isCut || role === 'iframe') ? [`[${ref}]`] : []),
    ...(placeholder === '' ? [] : [`placeholder=${quote(cut(placeholder, maxTextLength))}`]),
    ...(hasUrls && url !== '' ? [`url=${url}`] : []),
  ]
    .join(' ')
    .concat(
      shownText === '' ? '' : `: ${shownText}`,
      isCut ? ` (${Math.max(name.length, text.length)} characters)` : '',
    )
}

/** Estimates the tokens of a line with its indentation and line break. */
export function lineTokens(line: string): number {
  return estimateTokens(line) + 2
}

function cut(text: string, maxLength: number): string {
  const oneLine = text.replaceAll(/\s+/g, ' ').trim()
  if (oneLine.length <= maxLength) return oneLine
  const start = oneLine.slice(0, maxLength)
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), maxLength / 2))}…`
}

function quote(text: string): string {
  return `"${text.replaceAll('"', "'")}"`
}
