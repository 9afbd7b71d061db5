import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wasmCompilerFlags } from '../../server/src/cli/limit-wasm-compiler.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'
import { availableTools } from '../../src/mcp/tools/tool-list.ts'
import { repository } from '../lab/source-tree.ts'
import { refOf, textOf } from './answers.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site

beforeAll(async () => {
  lab = fixture.use(await startLab())
  site = fixture.use(await startSite())
})

afterAll(async () => {
  await fixture.disposeAsync()
})

/** Starts `bowline mcp` and connects the official client to it. */
async function connect(versionNegotiation: VersionNegotiationOptions): Promise<Client> {
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const { url, apiKey } = lab.server
  const env = { ...process.env, NODE_OPTIONS: '', BOWLINE_BASE_URL: url, BOWLINE_API_KEY: apiKey, HOME: lab.dataDir }
  const args = [...wasmCompilerFlags, main, 'mcp', '--name', 'agent']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  return client
}

test('a client browses over stdio, and its session ends with the connection', async () => {
  const client = await connect({ mode: 'legacy' })

  const first = textOf(await client.callTool({ name: 'browser_navigate', arguments: { url: site.url('/form') } }))
  const ref = refOf(first, 'textbox "Name"')
  const typed = textOf(await client.callTool({ name: 'browser_type', arguments: { ref, text: 'Ada' } }))
  const button = refOf(first, 'button "Send"')
  const sent = textOf(await client.callTool({ name: 'browser_click', arguments: { ref: button } }))
  const [session] = (await lab.api('GET', '/v2/browser?status=active')).body['sessions']
  await client.close()

  expect(first).toContain(`Live view: ${lab.server.url}/live/${session.id}`)
  expect(typed).toContain('Ada')
  expect(sent).toContain('/form/result')
  expect(sent).toContain('listitem: Ada')
  expect(session.name).toBe('agent')
  await expect
    .poll(async () => (await lab.api('GET', `/v2/browser/${session.id}`)).body)
    .toMatchObject({ status: 'destroyed', endReason: 'deleted' })
})

test('a client of 2026-07-28 needs no handle over stdio', async () => {
  const client = await connect({ mode: { pin: '2026-07-28' } })

  const { tools } = await client.listTools()
  const closed = textOf(await client.callTool({ name: 'browser_close' }))
  await client.close()

  const { properties = {} } = tools.find(({ name }) => name === 'browser_click')?.inputSchema ?? {}
  expect(Object.keys(properties)).toEqual(['element', 'ref', 'doubleClick', 'button', 'modifiers'])
  expect(closed).toBe('No browser session is open.')
})

test('the documentation lists every tool', async () => {
  const text = await readFile(join(repository, 'docs/mcp.md'), 'utf8')
  const listed = [...text.matchAll(/^\| `([a-z_]+)` /gm)].map(([, name]) => name)

  expect(new Set(listed)).toEqual(new Set(availableTools({ readOnly: false }).map(({ name }) => name)))
})
