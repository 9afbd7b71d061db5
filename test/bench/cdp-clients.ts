// node test/bench/cdp-clients.ts
// Installs public CDP clients into a temporary folder and connects them, unmodified, to a session.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { CreateSessionResponse } from '../../src/contract.ts'
import { connectCdp } from '../lab/cdp-socket.ts'
import { startBenchServer } from './bench-server.ts'

const run = promisify(execFile)

const packages = ['@playwright/cli', 'chrome-devtools-mcp', 'agent-browser']

/** Time for one command of a client, in milliseconds. */
const timeoutMs = 60_000

/** URLs of the session that a client is given. */
interface Address {
  readonly ws: string
  readonly http: string
  /** The token in the path instead of the query. */
  readonly httpPath: string
}

/** A client: opens `pageUrl`, returns what it reads from the page, and disconnects. */
type Client = (program: Program, address: Address) => Promise<string>

/** Runs an installed program, and resolves to its output. */
type Program = (name: string, ...args: readonly string[]) => Promise<string>

/** Facts about the session and its other client while a client connects. */
const undisturbed = 'session active, page of the other client open'

const pageUrl = 'data:text/html,<title>Opened</title><h1>Snapshot me</h1>'

const playwrightCli =
  (form: keyof Address): Client =>
  async (program, address) => {
    await program('playwright-cli', 'attach', `--cdp=${address[form]}`)
    try {
      await program('playwright-cli', 'goto', pageUrl)
      return await program('playwright-cli', 'snapshot')
    } finally {
      await program('playwright-cli', 'detach')
    }
  }

const agentBrowser: Client = async (program, { ws }) => {
  try {
    await program('agent-browser', '--cdp', ws, 'open', pageUrl)
    return `${await program('agent-browser', 'get', 'title')}${await program('agent-browser', 'snapshot')}`
  } finally {
    await program('agent-browser', 'close')
  }
}

function clientsIn(folder: string): Readonly<Record<string, Client>> {
  return {
    'playwright-cli attach --cdp=ws://…': playwrightCli('ws'),
    'playwright-cli attach --cdp=http://…': playwrightCli('http'),
    'playwright-cli attach --cdp=http://… (token in the path)': playwrightCli('httpPath'),
    'chrome-devtools-mcp --wsEndpoint': async (_program, { ws }) => readByMcp(folder, ws),
    'agent-browser --cdp ws://…': agentBrowser,
  }
}

/** Opens the page with the tools of chrome-devtools-mcp, and reads a snapshot. */
async function readByMcp(folder: string, wsEndpoint: string): Promise<string> {
  const args = [`--wsEndpoint=${wsEndpoint}`, '--no-usage-statistics']
  const server = spawn(join(folder, 'node_modules/.bin/chrome-devtools-mcp'), args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  let lastId = 0
  const call = async (method: string, params: object): Promise<string> => {
    lastId += 1
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
    for (;;) {
      const { value, done } = await lines.next()
      if (done === true) throw new Error('chrome-devtools-mcp has exited')
      const { id, result } = JSON.parse(value) as { readonly id?: number; readonly result?: unknown }
      if (id === lastId) return JSON.stringify(result)
    }
  }
  try {
    const clientInfo = { name: 'bowline', version: '1' }
    await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const opened = await call('tools/call', { name: 'new_page', arguments: { url: pageUrl } })
    const pageId = Number(/(\d+): [^\\]*\[selected\]/.exec(opened)?.[1])
    return opened + (await call('tools/call', { name: 'take_snapshot', arguments: { pageId } }))
  } finally {
    server.stdin.end()
    server.kill()
    await once(server, 'close')
  }
}

/** Installs the clients, connects each, and prints the outcomes. Resolves to whether all passed. */
async function main(): Promise<boolean> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-clients-'))
  undo.defer(async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], { cwd: folder })
  const env = { ...process.env, AGENT_BROWSER_SESSION: folder.slice(-6) }
  const program: Program = async (name, ...args) => {
    const options = { cwd: folder, env, timeout: timeoutMs }
    return (await run(join(folder, 'node_modules/.bin', name), [...args], options)).stdout
  }
  const server = undo.use(await startBenchServer({ browser: 'shell', warm: 0 }))
  const { body } = await server.api('POST', '/v2/browser', { ttl: 600 })
  const { id, cdpUrl } = body as unknown as CreateSessionResponse
  const http = cdpUrl.replace(/^ws/, 'http')
  const address = { ws: cdpUrl, http, httpPath: http.replace('?token=', '/') }
  const other = undo.use(await connectCdp(cdpUrl))
  // Clients that attach to a browser may navigate an open page, but must not close it.
  const created = await other.call('Target.createTarget', { url: 'about:blank' })
  const otherPage = created.result?.['targetId'] as string
  let hasPassed = true
  for (const [name, client] of Object.entries(clientsIn(folder))) {
    const outcome = await client(program, address).then(
      (seen) => (seen.includes('Opened') && seen.includes('Snapshot me') ? 'ok' : `read ${seen}`),
      (error: unknown) => String(error),
    )
    const { body: session } = await server.api('GET', `/v2/browser/${id}`)
    const { result } = await other.call('Target.getTargetInfo', { targetId: otherPage })
    const page = result?.['targetInfo'].targetId === otherPage ? 'open' : 'closed'
    const facts = `session ${session['status']}, page of the other client ${page}`
    console.log(`${name}: ${outcome}; ${facts}`)
    if (outcome !== 'ok' || facts !== undisturbed) hasPassed = false
  }
  return hasPassed
}

if (!(await main())) process.exitCode = 1
