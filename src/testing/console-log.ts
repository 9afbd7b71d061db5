import type { BrowserContext } from '@playwright/test'

const maxLines = 1000

/**
 * Records console messages and uncaught errors of the pages of a context. Keeps the last
 * 1000 lines.
 */
export function recordConsole(context: BrowserContext): { readonly text: () => string } {
  const lines: string[] = []
  const add = (line: string): void => {
    lines.push(line)
    if (lines.length > maxLines) lines.shift()
  }
  context.on('console', (message) => {
    const { url, lineNumber } = message.location()
    add(`${message.type()}: ${message.text()} (${url}:${lineNumber + 1})`)
  })
  context.on('weberror', (error) => add(`uncaught: ${error.error().stack ?? error.error().message}`))
  return { text: () => lines.join('\n') }
}
