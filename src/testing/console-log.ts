import type { BrowserContext } from '@playwright/test'

const mostLines = 1000

/** Writes down what the pages of a context log and throw; the last 1000 lines are kept. */
export function recordConsole(context: BrowserContext): { readonly text: () => string } {
  const lines: string[] = []
  const add = (line: string): void => {
    lines.push(line)
    if (lines.length > mostLines) lines.shift()
  }
  context.on('console', (message) => {
    const { url, lineNumber } = message.location()
    add(`${message.type()}: ${message.text()} (${url}:${lineNumber + 1})`)
  })
  context.on('weberror', (error) => add(`uncaught: ${error.error().stack ?? error.error().message}`))
  return { text: () => lines.join('\n') }
}
