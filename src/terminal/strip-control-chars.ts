/** What a terminal obeys: control characters other than tabs and line breaks, and escapes other than those for colours. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const obeyed = /\u001B(?!\[[\d;]*m)|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001A\u001C-\u001F\u007F-\u009F]/g

/** A text for a terminal. What pages say is in it, and could otherwise write to its clipboard or change what it showed. */
export function stripControlChars(text: string, isTerminal: boolean): string {
  return isTerminal ? text.replaceAll(obeyed, '\uFFFD') : text
}
