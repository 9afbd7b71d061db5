import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from 'puppeteer-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectCdp, type CdpSocket } from '../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../test/lab/lab.ts'
import { repository } from '../../test/lab/source-tree.ts'
import { startMcp } from './mcp-client.ts'

const pageUrl = 'data:text/html,<title>Opened</title><h1>Snapshot me</h1>'

let undo: AsyncDisposableStack
let lab: Lab
let id: string
/** URLs of the session that a client is given. */
let address: { readonly ws: string; readonly http: string; readonly httpPath: string }
/** Another client of the session, with a page of its own. */
let other: CdpSocket
let otherPage: string
let folder: string

beforeAll(async () => {
  undo = new AsyncDisposableStack()
  folder = await mkdtemp(join(tmpdir(), 'bowline-clients-'))
  undo.defer(async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  lab = undo.use(await startLab())
  const session = await lab.createSession({ ttl: 600 })
  id = session.id
  const http = session.cdpUrl.replace(/^ws/, 'http')
  address = { ws: session.cdpUrl, http, httpPath: http.replace('?token=', '/') }
  other = undo.use(await connectCdp(session.cdpUrl))
  // Clients that attach to a browser may navigate an open page, but must not close it.
  const created = await other.call('Target.createTarget', { url: 'about:blank' })
  otherPage = created.result?.['targetId'] as string
})

afterAll(async () => undo.disposeAsync())

const binFolder = join(repository, 'node_modules/.bin')

/** The environment of a client, whose background processes keep their state in the folder. */
function environment(): NodeJS.ProcessEnv {
  const { VITEST: _, NODE_OPTIONS: __, ...rest } = process.env
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { ...rest, PATH: path, HOME: folder, AGENT_BROWSER_SESSION: 'bowline-test', DO_NOT_TRACK: '1' }
}

/** Runs an installed client. Resolves to its output. */
async function run(name: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: folder, env: environment(), timeout: 50_000 }
  return (await promisify(execFile)(join(binFolder, name), [...args], options)).stdout
}

/** Runs commands of a client with a background process, and ends that with `last`. */
async function runAll(name: string, commands: readonly (readonly string[])[], last: string): Promise<string> {
  try {
    const outputs: string[] = []
    for (const command of commands) outputs.push(await run(name, ...command))
    return outputs.join('\n')
  } finally {
    await run(name, last)
  }
}

async function runPlaywrightCli(form: keyof typeof address, ...more: readonly string[]): Promise<string> {
  const commands = [[`attach`, `--cdp=${address[form]}`], ['goto', pageUrl], ...more.map((name) => [name])]
  return runAll('playwright-cli', commands, 'detach')
}

async function runMcp(endpoint: string): Promise<string> {
  const args = [endpoint, '--no-usage-statistics', '--no-performance-crux']
  await using mcp = await startMcp(join(binFolder, 'chrome-devtools-mcp'), args, { cwd: folder, env: environment() })
  const opened = await mcp.callTool('new_page', { url: pageUrl })
  const pageId = Number(/(\d+): [^\\]*\[selected\]/.exec(opened)?.[1])
  return opened + (await mcp.callTool('take_snapshot', { pageId }))
}

async function runPuppeteer(form: keyof typeof address): Promise<string> {
  const browser = await connect({ browserURL: address[form] })
  try {
    const page = await browser.newPage()
    await page.goto(pageUrl)
    return await page.title()
  } finally {
    await browser.disconnect()
  }
}

async function runAgentBrowser(): Promise<string> {
  const commands = [['--cdp', address.ws, 'open', pageUrl], ['get', 'title'], ['snapshot']]
  return runAll('agent-browser', commands, 'close')
}

const title = 'Opened'
const heading = 'Snapshot me'

test.each<readonly [string, () => Promise<string>, readonly string[]]>([
  ['playwright-cli attach --cdp=ws://…', async () => runPlaywrightCli('ws', 'snapshot'), [title, heading]],
  ['playwright-cli attach --cdp=http://…', async () => runPlaywrightCli('http'), [title]],
  ['playwright-cli attach --cdp=http://…/token', async () => runPlaywrightCli('httpPath'), [title]],
  ['chrome-devtools-mcp --wsEndpoint', async () => runMcp(`--wsEndpoint=${address.ws}`), [title, heading]],
  ['chrome-devtools-mcp --browserUrl', async () => runMcp(`--browserUrl=${address.http}`), [title, heading]],
  ['Puppeteer with browserURL', async () => runPuppeteer('http'), [title]],
  ['Puppeteer with browserURL …/token', async () => runPuppeteer('httpPath'), [title]],
  ['agent-browser --cdp ws://…', runAgentBrowser, [title, heading]],
])('%s reads a page, and disturbs neither the session nor its other client', async (_name, read, seen) => {
  const output = await read()

  for (const text of seen) expect(output).toContain(text)
  expect((await lab.api('GET', `/v2/browser/${id}`)).body).toMatchObject({ status: 'active' })
  expect((await other.call('Target.getTargetInfo', { targetId: otherPage })).error).toBeUndefined()
})
