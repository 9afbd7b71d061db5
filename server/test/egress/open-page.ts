import { mkdtemp, rm } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { CreateSessionOptions, CreateSessionResponse } from '../../../src/contract.ts'
import { startConfigured, type RunningServer } from '../../src/app.ts'
import { parseConfig, type ServerOptions } from '../../src/config.ts'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import type { Resolve } from '../../src/egress/resolve.ts'

/** A page of a session. Disposing ends the session. */
export interface SessionPage extends AsyncDisposable {
  readonly browser: Browser
  readonly page: Page
}

/** A server on a database of its own. Disposing stops it. */
export interface OpenServer extends AsyncDisposable {
  readonly server: RunningServer
  /** Creates a session. Resolves to its response, which may be an error. */
  readonly create: (session?: CreateSessionOptions) => Promise<Response>
  readonly end: (id: string) => Promise<void>
  /** Creates a session and connects to it. */
  readonly openPage: (session?: CreateSessionOptions) => Promise<SessionPage>
}

/** Starts a server. */
export async function openServer(options: ServerOptions, resolve?: Resolve): Promise<OpenServer> {
  await using undo = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'bowline-egress-'))
  undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const postgres = await sharedPostgres()
  const { url: databaseUrl } = undo.use(await postgres.createDatabase())
  const config = parseConfig({ port: 0, logLevel: 'silent', warm: 0, databaseUrl, ...options, dataDir })
  const server = undo.use(await startConfigured(config, { resolve, isolation: await knownIsolation(config) }))
  const authorization = `Bearer ${server.apiKey}`
  const create: OpenServer['create'] = async (session = {}) =>
    fetch(`${server.url}/v2/browser`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(session),
    })
  const end = async (id: string): Promise<void> => {
    await fetch(`${server.url}/v2/browser/${id}`, { method: 'DELETE', headers: { authorization } })
  }
  const opened = undo.move()
  return {
    server,
    create,
    end,
    openPage: async (session) => {
      const { id, cdpUrl } = (await (await create(session)).json()) as CreateSessionResponse
      const browser = await chromium.connectOverCDP(cdpUrl)
      const page = browser.contexts()[0]!.pages()[0]!
      return {
        browser,
        page,
        [Symbol.asyncDispose]: async () => {
          await browser.close()
          await end(id)
        },
      }
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

/** A page of a session on its own server. Disposing stops the server. */
export interface OpenPage extends SessionPage {
  readonly server: RunningServer
}

/** Starts a server, creates a session and connects to it. */
export async function openPage(options: ServerOptions, resolve?: Resolve): Promise<OpenPage> {
  await using undo = new AsyncDisposableStack()
  const { server, openPage: open } = undo.use(await openServer(options, resolve))
  const { browser, page } = undo.use(await open())
  const opened = undo.move()
  return { server, browser, page, [Symbol.asyncDispose]: async () => opened.disposeAsync() }
}

/** The ports of the proxy endpoints in the command lines of the browsers of this process. */
export function lanePorts(): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid)
  return pids
    .map((pid) => /--proxy-server=http=socks5:\/\/127\.0\.0\.1:(\d+)/.exec(textOf(`/proc/${pid}/cmdline`))?.[1])
    .filter((port) => port !== undefined)
    .map(Number)
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1])
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
