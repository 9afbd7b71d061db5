import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { estimateTokens } from '../../../src/mcp/snapshot/estimate-tokens.ts'
import { browserPaths } from '../../lab/browser-paths.ts'
import { repository } from '../../lab/source-tree.ts'
import { textOf } from '../../mcp/answers.ts'

/**
 * A scripted client of an MCP server. It sees only the answers of the tools, and counts their
 * tokens.
 */
export class SnapshotAgent implements AsyncDisposable {
  readonly #client: Client
  readonly #hasQueries: boolean
  #seen = ''
  #tokens = 0

  constructor(client: Client, hasQueries: boolean) {
    this.#client = client
    this.#hasQueries = hasQueries
  }

  /** Tokens of all answers since the last call. */
  takeTokens(): number {
    const tokens = this.#tokens
    this.#tokens = 0
    return tokens
  }

  /** Opens a page, and looks at it if the answer does not show it. */
  async open(url: string): Promise<void> {
    const answer = await this.#call('browser_navigate', { url })
    this.#seen = answer
  }

  /** Looks at the page. */
  async look(): Promise<void> {
    this.#seen = await this.#call('browser_snapshot', {})
  }

  /** Clicks the element whose line has the text. */
  async click(text: string): Promise<void> {
    await this.#act('browser_click', await this.#refOf(text), {})
  }

  /** Enters a text into the element whose line has `field`. */
  async type(field: string, text: string): Promise<void> {
    await this.#act('browser_type', await this.#refOf(field), { text })
  }

  /** Selects an option of the list whose line has `field`. */
  async select(field: string, option: string): Promise<void> {
    await this.#act('browser_select_option', await this.#refOf(field), { values: [option] })
  }

  /** Throws if the text is nowhere on the page. */
  async find(text: string): Promise<void> {
    if (!(await this.#lookFor(text))) throw new Error(`${text} is not on the page`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close()
  }

  async #act(name: string, ref: string, args: object): Promise<void> {
    this.#seen = `${this.#seen}\n${await this.#call(name, { ref, target: ref, element: 'it', ...args })}`
  }

  async #refOf(text: string): Promise<string> {
    await this.find(text)
    const line = this.#seen.split('\n').findLast((each) => each.includes(text) && refPattern.test(each))
    const ref = refPattern.exec(line ?? '')?.[1]
    if (ref === undefined) throw new Error(`no ref for ${text} in:\n${this.#seen.slice(0, 3000)}`)
    return ref
  }

  /** Looks until the text was seen: at the page, and then with a query if the server has them. */
  async #lookFor(text: string): Promise<boolean> {
    if (this.#seen.includes(text)) return true
    this.#seen = await this.#call('browser_snapshot', this.#hasQueries ? { query: text, maxTokens: 500 } : {})
    return this.#seen.includes(text)
  }

  async #call(name: string, args: object): Promise<string> {
    const answer = await this.#client.callTool({ name, arguments: { ...args } })
    const text = textOf(answer)
    this.#tokens += estimateTokens(text)
    if (answer.isError === true) throw new Error(`${name}: ${text}`)
    return text
  }
}

const refPattern = /\[(?:ref=)?((?:f\d+)?e\d+)\]/

/** Connects to `/mcp` of a Bowline server. */
export async function connectBowline(baseUrl: string, apiKey: string): Promise<SnapshotAgent> {
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } }
  return connect(new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit }), true)
}

/**
 * Starts the MCP server of the installed Playwright, with a browser of its own. It writes its files
 * to the folder `cwd`.
 */
export async function connectPlaywright(cwd: string): Promise<SnapshotAgent> {
  const cli = join(repository, 'node_modules/playwright-core/cli.js')
  const flags = ['--headless', '--isolated', '--no-sandbox', '--executable-path', browserPaths.shell]
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', ...flags],
    stderr: 'ignore',
    cwd,
  })
  return connect(transport, false)
}

async function connect(transport: Transport, hasQueries: boolean): Promise<SnapshotAgent> {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  return new SnapshotAgent(client, hasQueries)
}
