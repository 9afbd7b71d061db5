import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { addressesOf } from '../../../src/contract/fill-path.ts'
import { routes, type Route } from '../../../src/contract/routes.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startModel, type Model, type ModelReply, type Question } from '../../../test/lab/language-model.ts'
import { fixedPage, sendHtml } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'

describe('revoking an API key', () => {
  const undo = new AsyncDisposableStack()
  let held = Promise.withResolvers<void>()
  let lab: Lab
  let model: Model
  let reply: (question: Question) => string | ModelReply | undefined = () => '{"boat":1}'
  let site: Site
  beforeAll(async () => {
    site = undo.use(
      await startSite({
        '/held': async (exchange) => {
          await held.promise
          sendHtml(exchange, 'Held', '<h1>At last</h1>')
        },
        '/large': fixedPage('Large', `<p>${'many words '.repeat(450_000)}</p>`),
      }),
    )
    model = undo.use(await startModel((question) => reply(question)))
    lab = undo.use(await startLab({ llmUrl: model.url }))
  })
  afterAll(async () => undo.disposeAsync())

  /** Two keys of a new team. `leaked` can be revoked, `other` reads the results of its work. */
  const startTeam = async () => {
    held = Promise.withResolvers<void>()
    const team = crypto.randomUUID()
    const { body: created } = await lab.api('POST', '/v2/teams', { name: team, credits: 1000 })
    const createKey = async () => {
      const { body } = await lab.api('POST', '/v2/team/keys', { team })
      const key = body['key'] as string
      const headers = { authorization: `Bearer ${key}` }
      const api = async (method: string, path: string, sent?: unknown) => lab.api(method, path, sent, headers)
      return { id: body['data'].id as string, key, api }
    }
    const [leaked, other] = [await createKey(), await createKey()]
    return {
      leaked,
      other,
      revoke: async () => lab.api('DELETE', `/v2/team/keys/${leaked.id}`),
      balance: async () => {
        const { body } = await lab.api('GET', '/v2/teams')
        return body['data'].find(({ id }: { id: string }) => id === created['data'].id)
      },
    }
  }

  const databases = [{ name: 'db', version: 1, stores: [{ name: 's', autoIncrement: true, indexes: [], records: [] }] }]
  const state = {
    origins: Array.from({ length: 20 }, (_, index) => ({
      origin: `https://site${index}.example`,
      localStorage: [{ name: 'n', value: 'v' }],
      indexedDB: databases,
    })),
  }

  test('aborts its import and export with the reason, and leaves the profile unchanged', async () => {
    const { leaked, other, revoke, balance } = await startTeam()
    const path = '/v2/browser/profiles/state/storage-state'
    expect((await other.api('PUT', path, state)).status).toBe(200)
    const imports = leaked.api('PUT', '/v2/browser/profiles/fresh/storage-state', state)
    const exports = leaked.api('GET', path)
    const active = async () => (await other.api('GET', '/v2/browser?status=active')).body['sessions']
    await expect.poll(active).toHaveLength(2)

    await revoke()

    expect([await imports, await exports].map(({ status, body }) => [status, body['code'], body['error']])).toEqual([
      [401, 'UNAUTHORIZED', 'The API key was revoked: the import was aborted'],
      [401, 'UNAUTHORIZED', 'The API key was revoked: the export was aborted'],
    ])
    expect((await other.api('GET', '/v2/browser/profiles/fresh')).status).toBe(404)
    expect((await other.api('GET', '/v2/browser/profiles/state/versions')).body['data']).toHaveLength(1)
    expect(await balance()).toMatchObject({ credits: 994, reservedCredits: 0, concurrency: 0 })
  })

  test('closes the CDP sockets and live views of its sessions with the reason', async () => {
    const { leaked, revoke } = await startTeam()
    const { body } = await leaked.api('POST', '/v2/browser', { ttl: 60 })
    await using cdp = await connectCdp(body['cdpUrl'])
    const views = [body['liveViewUrl'], body['interactiveLiveViewUrl']].map(
      (url: string) => new WebSocket(url.replace('http', 'ws').replace('?', '/socket?')),
    )
    const closed = Promise.all(views.map(async (view) => once(view, 'close')))
    await Promise.all(views.map(async (view) => once(view, 'open')))

    await revoke()

    expect(await cdp.closed).toEqual({ code: 4006, reason: 'revoked' })
    for (const [code, reason] of await closed) expect([code, String(reason)]).toEqual([4000, 'revoked'])
  })

  test('makes the tokens of its sessions refused for their files, also of ended ones', async () => {
    const { leaked, other, revoke } = await startTeam()
    const { body } = await leaked.api('POST', '/v2/browser', { ttl: 60, keepFiles: true })
    const path = `/v2/browser/${body['id']}/files`
    await other.api('POST', `${path}?name=kept.txt`, 'kept')
    await other.api('DELETE', `/v2/browser/${body['id']}`)
    const token = new URL(body['cdpUrl'] as string).searchParams.get('token')
    const addresses = [path, `${path}/kept.txt`].map((each) => `${lab.server.url}${each}?token=${token}`)
    const readAll = async () => Promise.all(addresses.map(async (url) => (await fetch(url)).status))
    expect(await readAll()).toEqual([200, 200])

    await revoke()

    expect(await readAll()).toEqual([401, 401])
    const { error, code } = (await (await fetch(addresses[0] ?? '')).json()) as Record<string, unknown>
    expect([code, error]).toEqual(['UNAUTHORIZED', 'The API key that created the session was revoked'])
    expect((await other.api('GET', path)).body['files']).toHaveLength(1)
  })

  test('resolves when its sessions are billed, also one that is ending already', async () => {
    const { leaked, other, revoke } = await startTeam()
    const { body } = await leaked.api('POST', '/v2/browser', { ttl: 60, profile: { name: 'ending' } })
    await using cdp = await connectCdp(body['cdpUrl'])
    const deleted = other.api('DELETE', `/v2/browser/${body['id']}`)
    await cdp.closed

    await revoke()

    expect((await other.api('GET', `/v2/browser/${body['id']}`)).body).toMatchObject({ creditsBilled: 2 })
    await deleted
  })

  test('makes every route refuse it at once', async () => {
    const { leaked, other, revoke } = await startTeam()
    const addresses = Object.values<Route>(routes)
      .filter(({ auth = 'key' }) => auth.startsWith('key'))
      .flatMap((route) => addressesOf(route).map(({ path }) => ({ method: route.method, path })))
    const { body } = await other.api('POST', '/v2/browser', { ttl: 30 })
    const call = async ({ method, path }: (typeof addresses)[number], sent?: object) =>
      leaked.api(method, `${path.replaceAll(/\{\w+\}/g, body['id'] as string)}?name=file`, sent)
    expect((await leaked.api('GET', '/v2/browser')).status).toBe(200)

    await revoke()

    const answers = await Promise.all(
      addresses.map(async (address) => {
        const { status } = await call(address, address.method === 'GET' ? undefined : {})
        return status === 401 ? [] : `${address.method} ${address.path}: ${status}`
      }),
    )
    expect(addresses.length).toBeGreaterThan(100)
    expect(answers.flat()).toEqual([])
  })

  test('closes the sockets of its job watchers, even while documents are sent', async () => {
    const { leaked, other, revoke } = await startTeam()
    // More than one page of documents, which has at most 10 MiB.
    const urls = Array.from({ length: 3 }, (_, index) => site.url(`/large?n=${index}`))
    const { id } = (await other.api('POST', '/v2/batch/scrape', { urls, formats: ['rawHtml'] })).body
    await expect
      .poll(async () => (await other.api('GET', `/v2/batch/scrape/${id}?limit=1`)).body['status'], { timeout: 50_000 })
      .toBe('completed')
    const watcher = new WebSocket(`${lab.server.url.replace('http', 'ws')}/v1/batch/scrape/${id}`, [leaked.key])
    const frames: string[] = []
    watcher.on('message', (data) => frames.push((JSON.parse((data as Buffer).toString()) as { type: string }).type))
    const closed = once(watcher, 'close')
    await once(watcher, 'open')
    watcher.pause()

    await revoke()
    watcher.resume()

    expect((await closed)[0]).toBe(3000)
    expect(frames.filter((type) => type === 'document')).toEqual([])
  })

  test('closes its open streams and calls of /mcp', async () => {
    const { leaked, revoke } = await startTeam()
    const mcp = new RawMcp(new URL('/mcp', lab.server.url), leaked.key)
    await mcp.initialize()
    const headers = { authorization: `Bearer ${leaked.key}`, 'mcp-session-id': mcp.sessionId ?? '' }
    const stream = await fetch(new URL('/mcp', lab.server.url), {
      headers: { ...headers, accept: 'text/event-stream' },
    })
    const ended = Promise.allSettled([stream.text(), mcp.call('scrape', { url: site.url('/held') })])
    await site.requests.waitFor('/held')

    await revoke()

    expect(stream.status).toBe(200)
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('cancels its agents, which drive browsers, and bills their steps so far', async () => {
    const { leaked, other, revoke, balance } = await startTeam()
    const asked = Promise.withResolvers<void>()
    reply = ({ messages }) => {
      if (!messages.some(({ role }) => role === 'tool'))
        return { calls: [['browser_navigate', { url: site.url('/large') }]] }
      asked.resolve()
      return undefined
    }
    const { id } = (await leaked.api('POST', '/v2/agent', { prompt: 'Look' })).body
    await asked.promise

    await revoke()
    const questions = model.questions.length
    const { body } = await other.api('GET', `/v2/agent/${id}`)
    reply = () => '{"boat":1}'

    expect(body).toMatchObject({ status: 'failed', stopReason: 'cancelled', creditsUsed: 6 })
    expect(body['error']).toBe('The API key that started the agent was revoked')
    await expect.poll(balance).toMatchObject({ credits: 994, reservedCredits: 0, concurrency: 0 })
    expect(model.questions).toHaveLength(questions)
  })

  test('leaves its jobs and monitors to its team, which pays for them', async () => {
    const { leaked, other, revoke, balance } = await startTeam()
    const url = site.url('/held')
    const start = async (path: string, body: object) => (await leaked.api('POST', path, body)).body['id'] as string
    const batch = await start('/v2/batch/scrape', { urls: [1, 2, 3].map((n) => `${url}?n=${n}`) })
    const crawl = await start('/v2/crawl', { url, limit: 1, sitemap: 'skip' })
    const extract = await start('/v2/extract', { urls: [`${url}?extract`], prompt: 'Which boat?' })
    const monitor = await leaked.api('POST', '/v2/monitor', {
      name: 'Boats',
      schedule: { text: 'daily' },
      targets: [{ type: 'scrape', urls: [site.url('/')] }],
    })
    const monitorPath = `/v2/monitor/${monitor.body['data'].id}`

    await revoke()
    held.resolve()

    expect((await leaked.api('GET', `/v2/batch/scrape/${batch}`)).status).toBe(401)
    const read = async (path: string) => (await other.api('GET', path)).body
    const until = { timeout: 20_000, interval: 100 }
    await expect
      .poll(async () => read(`/v2/batch/scrape/${batch}`), until)
      .toMatchObject({ status: 'completed', completed: 3, creditsUsed: 3 })
    await expect
      .poll(async () => read(`/v2/crawl/${crawl}`), until)
      .toMatchObject({ status: 'completed', completed: 1, creditsUsed: 1 })
    await expect
      .poll(async () => read(`/v2/extract/${extract}`), until)
      .toMatchObject({ status: 'completed', data: { boat: 1 }, creditsUsed: 20 })
    const check = (await other.api('POST', `${monitorPath}/run`, {})).body['id'] as string
    await expect
      .poll(async () => (await read(`${monitorPath}/checks/${check}`))['data'], until)
      .toMatchObject({ status: 'completed' })
    expect(await balance()).toMatchObject({ credits: 975, reservedCredits: 0 })
  })
})
