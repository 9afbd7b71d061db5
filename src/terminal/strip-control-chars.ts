/** Control characters except tabs and line breaks, and escape sequences except colours. */
// oxlint-disable-next-line no-control-regex -- the expression matches control characters
const controlChars = /\u001B(?!\[[\d;]*m)|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001A\u001C-\u001F\u007F-\u009F]/g

/**
 * Replaces control characters in text for a terminal. The text can contain page content, which
 * could otherwise write to the clipboard or overwrite earlier output.
 */
export function stripControlChars(text: string, isTerminal: boolean): string {
  return isTerminal ? text.replaceAll(controlChars, '\uFFFD') : text
}
