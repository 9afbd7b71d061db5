import { createHmac } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startReceiver, type Received, type Receiver } from '../../../test/lab/receiver.ts'
import { openStore } from '../../src/store/open.ts'

const webhookSecret = 'whsec-0123456789'
const labels = { name: 'Nightly export', metadata: { customer: '4711' } }

describe('the webhook of a session', () => {
  const undo = new AsyncDisposableStack()
  let lab: Lab
  let receiver: Receiver
  beforeAll(async () => {
    receiver = undo.use(await startReceiver())
    lab = undo.use(await startLab({ webhookSecret }))
  })
  afterAll(async () => undo.disposeAsync())

  const read = async (id: string) => (await lab.api('GET', `/v2/browser/${id}`)).body
  const end = async (id: string) => lab.api('DELETE', `/v2/browser/${id}`)
  const deliveries = async (id: string): Promise<readonly { readonly event: string }[]> =>
    (await lab.api('GET', `/v2/team/webhooks/deliveries?jobId=${id}`)).body['data']
  /** Events that arrived at a path, once there are as many. */
  const arrived = async (path: string, count: number): Promise<readonly Received[]> => {
    const find = () => receiver.received.filter((each) => each.path === path)
    await expect.poll(() => find().length, { timeout: 10_000 }).toBe(count)
    return find()
  }

  test('receives the start and the end with the bill, signed, with its own metadata and headers', async () => {
    const profile = { name: 'webhook-profile' }
    const webhook = { url: receiver.url('/both'), headers: { 'x-own': 'a' }, metadata: { run: '7' } }
    const { id } = await lab.createSession({ ttl: 60, ...labels, profile, webhook })

    const [started] = await arrived('/both', 1)
    await end(id)
    const [, ended] = await arrived('/both', 2)

    expect(started?.body).toMatchObject({
      success: true,
      type: 'session.started',
      id,
      data: [{ id, ...labels, status: 'active' }],
      metadata: { run: '7' },
    })
    const listed = async (query: string): Promise<readonly { readonly event: string }[]> =>
      (await lab.api('GET', `/v2/team/webhooks/deliveries?jobId=${id}&${query}`)).body['data']
    expect(await listed('search=SESSION.end')).toMatchObject([{ event: 'session.ended' }])
    expect(await listed(`search=${id.slice(0, 9)}`)).toHaveLength(2)
    expect(await listed('search=_oth')).toEqual([])
    expect(await listed(`search=%2Fboth&from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
    expect(await listed(`to=${new Date(Date.now() + 60_000).toISOString()}`)).toHaveLength(2)
    const { createdAt, endedAt, sessionDurationMs } = await read(id)
    expect(ended?.body).toMatchObject({ success: true, type: 'session.ended', id, metadata: { run: '7' } })
    expect(ended?.body['data']).toEqual([
      {
        id,
        ...labels,
        status: 'destroyed',
        createdAt,
        endedAt,
        expiresAt: expect.any(String) as string,
        endReason: 'deleted',
        sessionDurationMs,
        creditsBilled: 2,
        profile: { name: 'webhook-profile', saveChanges: true, loadedVersion: null, version: 1 },
      },
    ])
    expect(ended?.headers['x-own']).toBe('a')
    const signature = createHmac('sha256', webhookSecret).update(ended!.raw).digest('hex')
    expect(ended?.headers['x-firecrawl-signature']).toBe(`sha256=${signature}`)
    expect(ended?.raw).not.toContain('token=')
    expect(await deliveries(id)).toMatchObject([{ event: 'session.ended' }, { event: 'session.started' }])
  })

  test('receives only the events it selects, and the changed name', async () => {
    const { id } = await lab.createSession({
      ttl: 60,
      name: 'first',
      webhook: { url: receiver.url('/selected'), events: ['session.ended'] },
    })
    await lab.api('PATCH', `/v2/browser/${id}`, { name: 'second' })

    await end(id)

    const [ended] = await arrived('/selected', 1)
    expect(ended?.body).toMatchObject({ type: 'session.ended', data: [{ name: 'second', endReason: 'deleted' }] })
    expect(await deliveries(id)).toHaveLength(1)
  })

  test('receives the end exactly once if it could not be stored at first, together with the bill', async () => {
    await using store = await openStore({ dataDir: lab.dataDir, databaseUrl: lab.server.config.databaseUrl })
    const { id } = await lab.createSession({ ttl: 60, webhook: receiver.url('/outage') })
    await arrived('/outage', 1)
    await sql`alter table webhook_delivery rename to hidden_delivery`.execute(store.db)

    const { status } = await end(id)
    const unbilled = await read(id)
    await sql`alter table hidden_delivery rename to webhook_delivery`.execute(store.db)

    expect(status).toBe(500)
    expect(unbilled['status']).toBe('active')
    await expect.poll(async () => (await read(id))['status'], { timeout: 20_000 }).toBe('destroyed')
    const [, ended] = await arrived('/outage', 2)
    expect(ended?.body).toMatchObject({ type: 'session.ended', data: [{ creditsBilled: 2 }] })
    expect(await deliveries(id)).toHaveLength(2)
  })

  test('receives nothing of a session that failed to start', async () => {
    const run = `${lab.dataDir}/run`
    await rename(run, `${run}-gone`)

    const { status } = await lab.api('POST', '/v2/browser', { ttl: 60, webhook: receiver.url('/failed') })
    await rename(`${run}-gone`, run)
    const [failed] = (await lab.api('GET', '/v2/browser?status=error&limit=1')).body['sessions']

    expect(status).toBe(502)
    expect(await deliveries(failed.id)).toEqual([])
  })

  test('that cannot be read does not prevent the start or the bill', async () => {
    await using store = await openStore({ dataDir: lab.dataDir, databaseUrl: lab.server.config.databaseUrl })
    const { id } = await lab.createSession({
      ttl: 60,
      webhook: { url: receiver.url('/odd'), events: ['session.ended'] },
    })
    await sql`update session set webhook = '{"address": 5}' where id = ${id}`.execute(store.db)

    expect((await end(id)).body).toMatchObject({ success: true, creditsBilled: 2 })
  })

  test.each([
    [{ webhook: 'nonsense' }, 'URL must have'],
    [{ webhook: { url: 'https://a.example/', events: ['page'] } }, 'session.started'],
    [{ webhook: { url: 'https://a.example/', secret: 'x' } }, 'webhook.secret'],
  ])('with %j responds 400', async (body, error) => {
    const answer = await lab.api('POST', '/v2/browser', body)

    expect(answer.status).toBe(400)
    expect(answer.body['error']).toContain(error)
  })
})

test('a session of a killed server is reported as lost by the next server', async () => {
  await using undo = new AsyncDisposableStack()
  const receiver = undo.use(await startReceiver())
  const lab = undo.use(await startLab())
  const { databaseUrl } = lab.server.config
  const { id } = await lab.createSession({ ttl: 60, webhook: { url: receiver.url(), events: ['session.ended'] } })
  await using store = await openStore({ dataDir: lab.dataDir, databaseUrl })
  const dead = '01a1fd15-0c10-7879-aa7c-0b034b2f48df'
  await sql`insert into node (id, slots, heartbeat_at) values (${dead}, 1, now() - interval '1 hour')`.execute(store.db)
  // The session now belongs to a server without heartbeats, which this server cleans up.
  await sql`update session set node_id = ${dead} where id = ${id}`.execute(store.db)

  const [lost] = await receiver.whenReceived(1)

  expect(lost?.body).toMatchObject({ success: false, type: 'session.ended', id, data: [{ endReason: 'lost' }] })
})
