import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test, type ExpectStatic } from 'vitest'
import { commandLineOf, groupMembers } from '../../src/browsers/process-table.ts'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { memoriesOf, memoryPages, recall, remember } from '../../../test/lab/memories.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { visit } from '../../../test/lab/visit.ts'

let site: Site
beforeAll(async () => {
  site = await startSite(memoryPages)
})
afterAll(async () => site[Symbol.asyncDispose]())

/** Ways for a session to end. Each resolves when it has ended. */
const ends: Readonly<
  Record<string, (lab: Lab, session: { id: string; cdpUrl: string }, expect: ExpectStatic) => Promise<unknown>>
> = {
  'its deletion': async (lab, { id }) => lab.api('DELETE', `/v2/browser/${id}`),
  'its total lifetime': async (lab, session, expect) => untilDestroyed(lab, session, expect),
  'its idle time': async (lab, session, expect) => untilDestroyed(lab, session, expect),
  "a client's Browser.close": async (lab, session, expect) => {
    await using cdp = await connectCdp(session.cdpUrl)
    await cdp.call('Browser.close')
    await untilDestroyed(lab, session, expect)
  },
}

async function untilDestroyed(lab: Lab, { id }: { id: string }, expect: ExpectStatic): Promise<void> {
  const status = async () => (await lab.api('GET', '/v2/browser?status=destroyed')).body['sessions']
  await expect.poll(status, { timeout: 45_000, interval: 500 }).toContainEqual(expect.objectContaining({ id }))
}

describe.concurrent.each(['shell', 'chromium'] as const)('with %s, the storage of a session', (browser) => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ browser })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  // Both browsers end in the same way at a time limit.
  const tried = Object.keys(ends).filter((how) => browser === 'shell' || !/lifetime|idleness/.test(how))
  test.for(tried)('is restored in the next one after %s', { timeout: 90_000 }, async (how, { expect }) => {
    const profile = { name: how }
    const activityTtl = how === 'its idle time' ? 10 : 3600
    const first = await lab.createSession({ ttl: 30, activityTtl, profile, onBrowserClose: 'delete' })
    await visit(first, async (page) => remember(page, site, 'kept'))

    await ends[how]!(lab, first, expect)

    const second = await lab.createSession({ profile })
    expect(await visit(second, async (page) => recall(page, site))).toEqual(memoriesOf('kept'))
  })

  if (browser === 'chromium') return

  test('is not restored under another name', async ({ expect }) => {
    const first = await lab.createSession({ profile: { name: 'acme' } })
    await visit(first, async (page) => remember(page, site, 'kept'))
    await lab.api('DELETE', `/v2/browser/${first.id}`)

    const second = await lab.createSession({ profile: { name: 'other' } })

    expect(await visit(second, async (page) => recall(page, site))).toEqual(memoriesOf(null))
  })
})

test.concurrent.for([
  ['shell', 'chromium'],
  ['chromium', 'shell'],
] as const)(
  'the storage of a session with %s survives SIGTERM of the server, and opens under %s',
  { timeout: 120_000 },
  async ([writer, reader], { expect }) => {
    await using folder = await temporaryFolder()
    const profile = { name: 'acme' }
    const server = await startServerProcess({ dataDir: folder.path, flags: ['--browser', writer] })
    const session = await server.create({ profile })
    await visit(session, async (page) => remember(page, site, 'kept'))

    server.kill('SIGTERM')

    expect(await server.exited).toEqual({ code: 0, signal: null })
    await using lab = await startLab({ dataDir: folder.path, browser: reader })
    const second = await lab.createSession({ profile })
    expect(await visit(second, async (page) => recall(page, site))).toEqual(memoriesOf('kept'))
  },
)

test.concurrent('full Chromium exits only after its process that writes localStorage, even if that is slow', async ({
  expect,
}) => {
  await using lab = await startLab({ browser: 'chromium' })
  const profile = { name: 'acme' }
  const first = await lab.createSession({ profile })
  await visit(first, async (page) => remember(page, site, 'kept'))
  const [writer] = processesOf(lab, 'storage.mojom.StorageService')
  process.kill(writer!, 'SIGSTOP')

  const deletion = lab.api('DELETE', `/v2/browser/${first.id}`)
  const outcome = await Promise.race([deletion.then(() => 'ended'), delay(1500, 'waits')])
  expect(outcome).toBe('waits')
  process.kill(writer!, 'SIGCONT')
  await deletion

  const second = await lab.createSession({ profile })
  expect(await visit(second, async (page) => recall(page, site))).toEqual(memoriesOf('kept'))
})

/** The processes of the only browser of a lab whose command lines contain a word. */
function processesOf(lab: Lab, word: string): readonly number[] {
  return browserPids(lab.dataDir)
    .flatMap(groupMembers)
    .filter((pid) => commandLineOf(pid)?.includes(word))
}
