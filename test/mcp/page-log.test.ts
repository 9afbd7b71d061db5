import { EventEmitter } from 'node:events'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { PageLog } from '../../src/mcp/browser/page-log.ts'

function createPage() {
  const clearConsoleMessages = vi.fn(async () => undefined)
  const clearPageErrors = vi.fn(async () => undefined)
  const page = Object.assign(new EventEmitter(), { clearConsoleMessages, clearPageErrors })
  return { page, log: new PageLog(page as unknown as Page), clearConsoleMessages, clearPageErrors }
}

it('keeps the start of long console lines and errors, and clears those that Playwright keeps', () => {
  const { page, log, clearConsoleMessages, clearPageErrors } = createPage()
  page.emit('console', { type: () => 'log', text: () => 'short' })
  expect(clearConsoleMessages).not.toHaveBeenCalled()
  page.emit('console', { type: () => 'log', text: () => 'a'.repeat(100_000) })
  page.emit('pageerror', 'b'.repeat(100_000))
  expect(log.console.map(({ text }) => text)).toEqual(['short', 'a'.repeat(1000), 'b'.repeat(1000)])
  expect(clearConsoleMessages).toHaveBeenCalledTimes(2)
  expect(clearPageErrors).toHaveBeenCalledTimes(2)
})

it('does not list requests with URLs of megabytes', () => {
  const { page, log } = createPage()
  const short = { url: () => 'https://example.com/', resourceType: () => 'fetch' }
  const long = { url: () => `https://example.com/?${'a'.repeat(2_000_000)}`, resourceType: () => 'fetch' }
  page.emit('request', long)
  page.emit('request', short)
  expect(log.requests).toEqual([short])
  // Tools still wait for both.
  page.emit('requestfinished', short)
  expect(log.isLoading).toBe(true)
})
