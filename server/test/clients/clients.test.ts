import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { startMcp } from '../mcp-client.ts'

const folder = import.meta.dirname
const require = createRequire(import.meta.url)

/** Packages of this folder and of the repository that `docs/clients.md` names. */
const tested = [
  '@browserbasehq/stagehand',
  '@langchain/community',
  '@mendable/firecrawl-js',
  '@mendable/n8n-nodes-firecrawl',
  '@playwright/mcp',
  'firecrawl-3',
  'firecrawl',
  'firecrawl-cli',
  'firecrawl-mcp',
  'chrome-devtools-mcp',
  'agent-browser',
  '@playwright/cli',
]

let undo: AsyncDisposableStack
let lab: Lab
let site: Site
let account: { readonly apiKey: string; readonly apiUrl: string }

beforeAll(async () => {
  undo = new AsyncDisposableStack()
  lab = undo.use(await startLab())
  site = undo.use(await startSite())
  account = { apiKey: lab.server.apiKey, apiUrl: lab.server.url }
})
afterAll(async () => undo.disposeAsync())

/** Runs a program that uses a client, and resolves to the JSON that it prints. */
async function run(code: string, ...args: readonly string[]): Promise<unknown> {
  const command = ['--input-type=module', '--eval', code, '--', ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, timeout: 50_000 })
  return JSON.parse(stdout)
}

describe('older lines of the public client', () => {
  test('1.x scrapes, crawls, maps and runs batches', async () => {
    const code = `
      import sdk from '@mendable/firecrawl-js'
      const [apiKey, apiUrl, url] = process.argv.slice(1)
      const client = new sdk({ apiKey, apiUrl })
      const formats = ['markdown']
      const [page, map, crawl, batch] = await Promise.all([
        client.scrapeUrl(url, { formats }),
        client.mapUrl(url),
        client.crawlUrl(url, { limit: 2, scrapeOptions: { formats } }),
        client.batchScrapeUrls([url], { formats }),
      ])
      console.log(JSON.stringify({ page: page.markdown, mapped: map.links[0], crawl: crawl.data.length, batch: batch.data[0].markdown }))`

    expect(await run(code, account.apiKey, account.apiUrl, site.url('/'))).toEqual({
      page: expect.stringContaining('#'),
      mapped: site.url('/'),
      crawl: 2,
      batch: expect.stringContaining('#'),
    })
  })

  test('3.x scrapes, crawls, maps, runs batches and reads the credits', async () => {
    const code = `
      import { Firecrawl } from 'firecrawl-3'
      const [apiKey, apiUrl, url] = process.argv.slice(1)
      const client = new Firecrawl({ apiKey, apiUrl })
      const [page, map, crawl, batch, credits] = await Promise.all([
        client.scrape(url, { formats: ['markdown'] }),
        client.map(url),
        client.crawl(url, { limit: 2, pollInterval: 1 }),
        client.batchScrape([url], { pollInterval: 1 }),
        client.getCreditUsage(),
      ])
      console.log(JSON.stringify({ page: page.markdown, mapped: map.links[0].url, crawl: crawl.data.length, batch: batch.data[0].markdown, credits: credits.remainingCredits }))`

    expect(await run(code, account.apiKey, account.apiUrl, site.url('/'))).toEqual({
      page: expect.stringContaining('#'),
      mapped: site.url('/'),
      crawl: 2,
      batch: expect.stringContaining('#'),
      credits: expect.any(Number),
    })
  })
})

test('the loader of LangChain.js loads a page, a crawl and a map', async () => {
  const code = `
    import { FireCrawlLoader } from '@langchain/community/document_loaders/web/firecrawl'
    const [apiKey, apiUrl, url] = process.argv.slice(1)
    const load = (mode, params) => new FireCrawlLoader({ apiKey, apiUrl, url, mode, params }).load()
    const [[page], crawl, [mapped]] = await Promise.all([load('scrape'), load('crawl', { limit: 2 }), load('map')])
    console.log(JSON.stringify({ page, crawl: crawl.length, mapped: mapped.pageContent }))`

  expect(await run(code, account.apiKey, account.apiUrl, site.url('/'))).toEqual({
    page: expect.objectContaining({
      pageContent: expect.stringContaining('#'),
      metadata: expect.objectContaining({ sourceURL: site.url('/') }),
    }),
    crawl: 2,
    mapped: JSON.stringify(site.url('/')),
  })
})

interface Property {
  readonly routing?: { readonly request?: { readonly url?: string } }
  readonly options?: readonly Property[]
  readonly values?: readonly Property[]
}

/** Paths that properties of a node declare. */
function pathsOf({ routing, options = [], values = [] }: Property): readonly string[] {
  // `{{ … }}` is an expression, which stands for an id.
  const path = routing?.request?.url?.replace(/^=/, '').replaceAll(/\{\{[^}]*\}\}/g, 'id')
  return [...(path?.startsWith('/') === true ? [path] : []), ...[...options, ...values].flatMap(pathsOf)]
}

test('the server has all paths that the nodes of n8n call', async () => {
  // Only a function of it is called, when the node runs.
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'n8n-workflow' ? { url: 'node:timers', format: 'builtin', shortCircuit: true } : next(name, context),
  })
  using _ = { [Symbol.dispose]: () => hooks.deregister() }
  const { Firecrawl } = require('@mendable/n8n-nodes-firecrawl/dist/nodes/Firecrawl/Firecrawl.node.js') as {
    Firecrawl: new () => { readonly description: { readonly properties: readonly Property[] } }
  }
  const paths = [...new Set(new Firecrawl().description.properties.flatMap(pathsOf))]
  const { body } = await lab.api('GET', '/openapi.json')
  const served = new Set(Object.keys(body['paths'] as object).map((path) => path.replaceAll(/\{[^}]*\}/g, 'id')))

  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => !served.has(`/v2${path}`))).toEqual([])
})

test('Stagehand drives a page of a session, and its end leaves the session running', async () => {
  const { id, cdpUrl } = await lab.createSession()
  const code = `
    import { Stagehand } from '@browserbasehq/stagehand'
    const [cdpUrl, url] = process.argv.slice(1)
    const stagehand = new Stagehand({ env: 'LOCAL', verbose: 0, disablePino: true, localBrowserLaunchOptions: { cdpUrl } })
    await stagehand.init()
    const page = await stagehand.context.newPage()
    await page.goto(url)
    console.log(JSON.stringify([await page.title(), await page.evaluate(() => document.body.textContent)]))
    await stagehand.close()
    process.exit()`

  const page = 'data:text/html,<title>Opened</title>text'
  expect(await run(code, cdpUrl, page)).toEqual(['Opened', 'text'])
  expect((await lab.api('GET', `/v2/browser/${id}`)).body).toMatchObject({ status: 'active' })
})

test('the MCP server of Playwright navigates and looks at a page', async () => {
  const { cdpUrl } = await lab.createSession()
  const args = ['--cdp-endpoint', cdpUrl, '--output-dir', lab.dataDir]
  await using mcp = await startMcp(join(folder, 'node_modules/.bin/playwright-mcp'), args, { cwd: lab.dataDir })

  await mcp.callTool('browser_navigate', { url: 'data:text/html,<title>Opened</title><h1>Look</h1>' })

  expect(await mcp.callTool('browser_snapshot', {})).toContain('heading \\"Look\\"')
})

test('docs/clients.md names the versions that are tested', async () => {
  const page = await readFile(join(repository, 'docs/clients.md'), 'utf8')
  const versionsIn = async (path: string): Promise<readonly string[]> => {
    const { packages } = JSON.parse(await readFile(join(path, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly version: string }>>
    }
    return tested.map((name) => packages[`node_modules/${name}`]?.version ?? '')
  }
  const [own, others] = await Promise.all([versionsIn(repository), versionsIn(folder)])

  for (const [index, name] of tested.entries())
    expect(page, name).toContain([others[index], own[index]].find((version) => version !== ''))
})
