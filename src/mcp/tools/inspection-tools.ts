import { z } from 'zod'
import { actOn } from '../browser/tabs.ts'
import { cutToTokens } from '../snapshot/estimate-tokens.ts'
import { changesResult, textResult } from './result.ts'
import { saveFile } from './local-files.ts'
import { browserTool, elementInput, type Tool } from './tool.ts'
import { quotePage } from '../../kit/quote-page.ts'

const evaluate = browserTool({
  name: 'browser_evaluate',
  title: 'Run JavaScript',
  description: 'Runs a JavaScript function on the page or on an element, and returns its result as JSON.',
  input: {
    function: z.string().describe('`() => …`, or `(element) => …` with `ref`'),
    element: elementInput.element,
    ref: elementInput.ref.optional(),
  },
  isReadOnly: false,
  run: async ({ function: source, ref }, scope) => {
    const { page, snapshots } = scope.tab
    const program = toPageFunction(source)
    let result: unknown
    await actOn(scope.tab, async () => {
      result = await (ref === undefined ? page.evaluate(program) : snapshots.locate(ref).evaluate(program))
    })
    const text = cutToTokens(JSON.stringify(result, bigIntAsDigits, 1) ?? 'undefined', scope.options.maxTokens)
    return changesResult(scope, 'Result:', quotePage(text))
  },
})

const screenshot = browserTool({
  name: 'browser_take_screenshot',
  title: 'Take a screenshot',
  description: 'Returns an image of the page or of an element. Use browser_snapshot to find elements to act on.',
  input: {
    type: z.enum(['png', 'jpeg']).default('jpeg'),
    element: elementInput.element,
    ref: elementInput.ref.optional(),
    fullPage: z.boolean().default(false).describe('Show the whole page instead of what is in view'),
  },
  isReadOnly: true,
  run: async ({ type, ref, fullPage }, { tab }) => {
    const options = { type, scale: 'css' as const, ...(type === 'jpeg' ? { quality: 75 } : {}) }
    const image = await (ref === undefined
      ? tab.page.screenshot({ ...options, fullPage })
      : tab.snapshots.locate(ref).screenshot(options))
    return [{ type: 'image', data: image.toString('base64'), mimeType: `image/${type}` }]
  },
})

const pdf = browserTool({
  name: 'browser_pdf_save',
  title: 'Save as PDF',
  description: 'Returns the page as PDF, or saves it to the folder of the tools if there is one.',
  input: { filename: z.string().optional().describe('Name of the file. Default: page.pdf') },
  isReadOnly: true,
  run: async ({ filename = 'page.pdf' }, { tab, options }) => saveFile(await tab.page.pdf(), filename, options),
})

const consoleMessages = browserTool({
  name: 'browser_console_messages',
  title: 'Read the console',
  description: 'Returns the console messages and uncaught errors of the tab, latest last.',
  input: { level: z.enum(levels()).default('info').describe('Least severe level to return') },
  isReadOnly: true,
  run: async ({ level }, { tab, options }) => {
    const shown = new Set(levels().slice(0, levels().indexOf(level) + 1))
    const lines = tab.log.console.filter((entry) => shown.has(entry.level))
    return listResult(
      'console messages',
      lines.map((entry) => `[${entry.level}] ${entry.text.slice(0, 1000)}`),
      options.maxTokens,
    )
  },
})

const networkRequests = browserTool({
  name: 'browser_network_requests',
  title: 'List requests',
  description: 'Returns the requests of the tab with method, URL and status, latest last.',
  input: {
    static: z.boolean().default(false).describe('Include images, fonts, scripts and style sheets'),
    filter: z.string().optional().describe('Text that the URL must contain'),
  },
  isReadOnly: true,
  run: async ({ static: hasStatic, filter }, { tab, options }) => {
    const requests = tab.log.requests.filter(
      (request) =>
        (hasStatic || !staticTypes.has(request.resourceType())) &&
        (filter === undefined || request.url().includes(filter)),
    )
    const lines = await Promise.all(
      requests.map(async (request) => {
        const failure = request.failure()?.errorText
        const status = failure ?? String(request.existingResponse()?.status() ?? 'pending')
        return `${request.method()} ${request.url().slice(0, 500)} => ${status}`
      }),
    )
    return listResult('requests', lines, options.maxTokens)
  },
})

/** Tools that look behind the page. */
export const inspectionTools: readonly Tool[] = [evaluate, screenshot, pdf, consoleMessages, networkRequests]

/**
 * Returns a function that Playwright sends to the page: it sends the source of functions, and runs
 * strings only as expressions.
 */
function toPageFunction(source: string): () => unknown {
  const isFunction = /^\s*(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)/.test(source)
  return Object.assign((): unknown => undefined, { toString: () => (isFunction ? source : `() => (${source})`) })
}

/** A replacer for `JSON.stringify`, which throws for a `BigInt`. */
function bigIntAsDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

const staticTypes: ReadonlySet<string> = new Set(['image', 'font', 'script', 'stylesheet', 'media', 'manifest'])

function levels() {
  return ['error', 'warning', 'info', 'debug'] as const
}

/** Returns the last lines of a list that fit. */
function listResult(name: string, lines: readonly string[], maxTokens: number) {
  if (lines.length === 0) return textResult(`No ${name}.`)
  return textResult(`${lines.length} ${name}:`, quotePage(cutToTokens(lines.join('\n'), maxTokens, 'start')))
}
