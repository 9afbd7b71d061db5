import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLineOf, groupMembers } from '../../src/browsers/process-table.ts'
import type { CreateSessionOptions } from '../../../src/contract.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { memoriesOf, memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { visit } from '../../../test/lab/visit.ts'

type Session = Awaited<ReturnType<Lab['createSession']>>

const fixture = new AsyncDisposableStack()
const profile = { name: 'acme' }
let site: Site
let dataDir: string
let databaseUrl: string
beforeAll(async () => {
  site = fixture.use(await startSite(memoryPages))
  dataDir = fixture.use(await temporaryFolder()).path
  databaseUrl = fixture.use(await (await sharedPostgres()).createDatabase()).url
})
afterAll(async () => fixture.disposeAsync())

/** Value that the last session has stored. Every session finds it and stores another one. */
let stored: string | null = null
let values = 0

async function visitNext(
  create: (options: CreateSessionOptions) => Promise<Session>,
  options: CreateSessionOptions = {},
): Promise<Session> {
  const session = await create({ profile, ...options })
  const value = `value-${(values += 1)}`
  await visit(session, async (page) => {
    expect(await recall(page, site)).toEqual(memoriesOf(stored))
    await remember(page, site, value)
  })
  stored = value
  return session
}

async function untilDestroyed(lab: Lab, { id }: Session): Promise<void> {
  const status = async () => (await lab.api('GET', `/v2/browser/${id}`)).body['status']
  await expect.poll(status, { timeout: 45_000, interval: 500 }).toBe('destroyed')
}

async function closeBrowser({ cdpUrl }: Session): Promise<void> {
  await using cdp = await connectCdp(cdpUrl)
  await cdp.call('Browser.close')
}

// In sequence: sessions with one profile, on servers with one data directory.
test('the storage of a session with full Chromium survives SIGTERM of its server', async () => {
  const flags = ['--browser', 'chromium']
  const server = await startServerProcess({ dataDir, flags, env: { DATABASE_URL: databaseUrl } })
  await visitNext(server.create)

  server.kill('SIGTERM')

  expect(await server.exited).toEqual({ code: 0, signal: null })
})

describe('with the shell, it', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ databaseUrl, dataDir, browser: 'shell' })
  })
  // Leaves a session open, which the end of the server saves.
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('is restored from full Chromium, but not under another name', async () => {
    const session = await visitNext(lab.createSession)
    const other = await lab.createSession({ profile: { name: 'other' } })

    expect(await visit(other, async (page) => recall(page, site))).toEqual(memoriesOf(null))
    await lab.api('DELETE', `/v2/browser/${session.id}`)
  })

  test('is restored after a deletion, an idle time and a total lifetime', { timeout: 120_000 }, async () => {
    await untilDestroyed(lab, await visitNext(lab.createSession, { activityTtl: 10 }))
    await untilDestroyed(lab, await visitNext(lab.createSession, { ttl: 30 }))
  })

  test("is restored after a client's Browser.close", async () => {
    const session = await visitNext(lab.createSession, { onBrowserClose: 'delete' })
    await closeBrowser(session)
    await untilDestroyed(lab, session)

    await visitNext(lab.createSession)
  })
})

describe('with full Chromium, it', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ databaseUrl, dataDir, browser: 'chromium' })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test("is restored from the shell, after a deletion, however slow, and after a client's Browser.close", async () => {
    const deleted = await visitNext(lab.createSession)
    // Chromium exits only after its process that writes localStorage.
    const [writer] = processesOf(lab, 'storage.mojom.StorageService')
    process.kill(writer!, 'SIGSTOP')

    const deletion = lab.api('DELETE', `/v2/browser/${deleted.id}`)
    expect(await Promise.race([deletion.then(() => 'ended'), delay(1500, 'waits')])).toBe('waits')
    process.kill(writer!, 'SIGCONT')
    await deletion
    const closed = await visitNext(lab.createSession, { onBrowserClose: 'delete' })
    await closeBrowser(closed)
    await untilDestroyed(lab, closed)

    await visitNext(lab.createSession)
  })
})

/** The processes of the only browser of a lab whose command lines contain a word. */
function processesOf(lab: Lab, word: string): readonly number[] {
  return browserPids(lab.dataDir)
    .flatMap(groupMembers)
    .filter((pid) => commandLineOf(pid)?.includes(word))
}
