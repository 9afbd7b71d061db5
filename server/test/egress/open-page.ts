import { mkdtemp, rm } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { startConfigured, type RunningServer } from '../../src/app.ts'
import { parseConfig, type ServerOptions } from '../../src/config.ts'
import { knownIsolation } from '../../../test/lab/known-isolation.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import type { Resolve } from '../../src/egress/resolve.ts'

/** A page of a session on its own server. Disposing stops the server. */
export interface OpenPage extends AsyncDisposable {
  readonly server: RunningServer
  readonly browser: Browser
  readonly page: Page
}

/** Starts a server, creates a session and connects to it. */
export async function openPage(options: ServerOptions, resolve?: Resolve): Promise<OpenPage> {
  await using undo = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'bowline-egress-'))
  undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const postgres = await sharedPostgres()
  const { url: databaseUrl } = undo.use(await postgres.createDatabase())
  const config = parseConfig({ port: 0, logLevel: 'silent', warm: 0, databaseUrl, ...options, dataDir })
  const server = undo.use(await startConfigured(config, { resolve, isolation: await knownIsolation(config) }))
  const created = await fetch(`${server.url}/v2/browser`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  const { cdpUrl } = (await created.json()) as CreateSessionResponse
  const browser = await chromium.connectOverCDP(cdpUrl)
  undo.defer(async () => browser.close())
  const page = browser.contexts()[0]!.pages()[0]!
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
