import { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'
import { actOn, type Tab } from '../browser/tabs.ts'
import { changesResult, snapshotResult, textResult } from './result.ts'
import { assertAllowedUrl, withScheme } from './allowed-url.ts'
import { browserTool, type BrowserScope, type Content, type Tool } from './tool.ts'

const navigate = browserTool({
  name: 'browser_navigate',
  title: 'Open a URL',
  description: 'Opens a URL in the selected tab, and returns a snapshot of the page.',
  input: { url: z.string().describe('URL to open. Default of the scheme: https') },
  isReadOnly: true,
  run: async ({ url }, scope) => {
    await openUrl(scope.tab, url, scope)
    return showPage(scope)
  },
})

const navigateBack = browserTool({
  name: 'browser_navigate_back',
  title: 'Go back',
  description: 'Goes back to the previous page of the tab.',
  input: {},
  isReadOnly: true,
  run: async (_input, scope) => {
    await actOn(scope.tab, async () => scope.tab.page.goBack({ waitUntil: 'domcontentloaded', timeout: loadTimeoutMs }))
    return showPage(scope)
  },
})

const snapshot = browserTool({
  name: 'browser_snapshot',
  title: 'Look at the page',
  description:
    'Returns a snapshot of the selected page: roles, names and refs of its elements. Long pages are shown in part: ' +
    'what is in view and what matches `query` comes first. A line such as `… 57 more in e12` announces hidden parts; ' +
    'pass that ref to read them in order.',
  input: {
    ref: z.string().optional().describe('Ref of the part to read in full. Default: the whole page, in part'),
    after: z.string().optional().describe('With `ref`: go on behind the element with this ref'),
    query: z.string().optional().describe('Words to look for. Matching elements are shown first'),
    maxTokens: z.int().min(100).max(50_000).optional().describe('Maximum size of the snapshot in tokens'),
    links: z.boolean().default(false).describe('Show the URLs of links'),
  },
  isReadOnly: true,
  run: async ({ ref, after, query, maxTokens, links }, { tab, options }) => {
    if (tab.log.dialog !== undefined) return snapshotResult({ tab }, { text: '', shown: 0, total: 0 })
    const limit = maxTokens ?? options.maxTokens
    return snapshotResult(
      { tab },
      await tab.snapshots.take({ maxTokens: limit, target: ref, after, query, hasUrls: links }),
    )
  },
})

const waitFor = browserTool({
  name: 'browser_wait_for',
  title: 'Wait for the page',
  description: 'Waits until a text appears or disappears, or for a time, and returns what has changed on the page.',
  input: {
    text: z.string().optional().describe('Text to wait for'),
    textGone: z.string().optional().describe('Text that has to disappear'),
    time: z.number().min(0).max(60).optional().describe('Seconds to wait, or the limit for `text` and `textGone`'),
  },
  isReadOnly: true,
  run: async ({ text, textGone, time }, scope) => {
    const { page } = scope.tab
    const timeout = (time ?? 10) * 1000
    if (text === undefined && textGone === undefined) await page.waitForTimeout(timeout)
    const found = text === undefined ? [] : [page.getByText(text).first().waitFor({ state: 'visible', timeout })]
    const gone = textGone === undefined ? [] : [page.getByText(textGone).first().waitFor({ state: 'hidden', timeout })]
    await Promise.all([...found, ...gone])
    return changesResult(scope)
  },
})

const tabs = browserTool({
  name: 'browser_tabs',
  title: 'Manage tabs',
  description: 'Lists, opens, closes or selects tabs.',
  input: {
    action: z.enum(['list', 'new', 'close', 'select']),
    index: z.int().min(0).optional().describe('Tab to close or select. Default of `close`: the selected tab'),
    url: z.string().optional().describe('URL to open in a new tab'),
  },
  isReadOnly: true,
  run: async ({ action, index, url }, scope) => {
    const { open } = scope
    if (action === 'select') {
      if (index === undefined) throw new BowlineError('BAD_REQUEST', '`index` is missing', { hint: 'Pass `index`.' })
      return showPage({ ...scope, tab: await open.tabs.select(index) })
    }
    if (action === 'new') {
      const tab = await open.tabs.open()
      if (url !== undefined) await openUrl(tab, url, scope)
      return showPage({ ...scope, tab })
    }
    if (action === 'close') await (index === undefined ? scope.tab : open.tabs.at(index)).page.close()
    return textResult(...open.tabs.all.map((tab, at) => describeTab(scope, tab, at)))
  },
})

const handleDialog = browserTool({
  name: 'browser_handle_dialog',
  title: 'Handle a dialog',
  description: 'Accepts or dismisses the dialog that the page shows.',
  input: {
    accept: z.boolean().describe('Whether to accept the dialog'),
    promptText: z.string().optional().describe('Text to enter into a prompt'),
  },
  isReadOnly: true,
  run: async ({ accept, promptText }, scope) => {
    const { log } = scope.tab
    const { dialog } = log
    if (dialog === undefined) {
      throw new BowlineError('BAD_REQUEST', 'The page shows no dialog', { hint: 'Go on without this call.' })
    }
    log.dialog = undefined
    await actOn(scope.tab, async () => (accept ? dialog.accept(promptText) : dialog.dismiss()))
    return changesResult(scope)
  },
})

/** Tools that open pages and look at them. */
export const navigationTools: readonly Tool[] = [navigate, navigateBack, snapshot, waitFor, tabs, handleDialog]

const loadTimeoutMs = 45_000

async function openUrl(tab: Tab, url: string, { options }: Pick<BrowserScope, 'options'>): Promise<void> {
  const target = withScheme(url)
  assertAllowedUrl(target, options.allowedDomains)
  await actOn(tab, async () => tab.page.goto(target, { waitUntil: 'domcontentloaded', timeout: loadTimeoutMs }))
}

async function showPage({ tab, options }: Pick<BrowserScope, 'tab' | 'options'>): Promise<readonly Content[]> {
  if (tab.log.dialog !== undefined) return snapshotResult({ tab }, { text: '', shown: 0, total: 0 })
  return snapshotResult({ tab }, await tab.snapshots.take({ maxTokens: options.maxTokens }))
}

function describeTab({ open }: Pick<BrowserScope, 'open'>, tab: Tab, index: number): string {
  return `${open.tabs.isSelected(tab) ? '*' : '-'} ${index}: ${tab.page.url().slice(0, 300)}`
}
