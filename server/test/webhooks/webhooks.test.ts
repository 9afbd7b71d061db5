import { createHmac } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { pino } from 'pino'
import { Agent, getGlobalDispatcher } from 'undici'
import type { WebhookSpec } from '../../../src/contract.ts'
import { openEgress } from '../../src/egress/egress.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { openStore } from '../../src/store/open.ts'
import type { Database } from '../../src/store/schema.ts'
import type { Store } from '../../src/store/store.ts'
import { ensureTeam } from '../../src/teams/team-queries.ts'
import { saveWebhookSecret } from '../../src/webhooks/webhook-queries.ts'
import { openWebhooks } from '../../src/webhooks/open-webhooks.ts'
import { postEvent } from '../../src/webhooks/post-event.ts'
import type { Webhooks } from '../../src/webhooks/webhooks.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const log = pino({ level: 'silent' })
const retryDelaysSeconds = [0, 0.1, 0.1]

describe.concurrent.each(['PGlite', 'PostgreSQL'] as const)('webhooks, in %s', (storeKind) => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let webhooks: Webhooks
  let teamId: string

  beforeAll(async () => {
    const { path: dataDir } = undo.use(await temporaryFolder())
    const database = storeKind === 'PostgreSQL' ? undo.use(await (await sharedPostgres()).createDatabase()) : undefined
    const databaseUrl = database?.url
    store = undo.use(await openStore({ dataDir, databaseUrl }))
    const egress = undo.use(await openEgress({ allow: ['127.0.0.1'], log }))
    const dispatcher = egress.createDispatcher()
    undo.defer(async () => dispatcher.destroy())
    const onError = (error: unknown): void => log.error(error)
    const queues = undo.use(await openTaskQueues({ store, onError }))
    webhooks = await openWebhooks(
      undo,
      { version: '1', retryDelaysSeconds },
      { store, queues, dispatcher, connector: egress.connector, onError },
    )
    teamId = (await ensureTeam(store.db, { name: 'senders' })).id
  })
  afterAll(async () => undo.disposeAsync())

  const send = async (
    webhook: Partial<WebhookSpec> & { readonly url: string },
    { db, ...more }: { uniqueKey?: string; keepsPayload?: boolean; db?: Transaction<Database> } = {},
  ) =>
    webhooks.send(
      {
        teamId,
        webhook: { headers: {}, metadata: {}, events: ['page'], ...webhook },
        event: 'batch_scrape.page',
        jobId: 'job-1',
        content: { success: true, data: [{ markdown: '# Hi' }] },
        ...more,
      },
      { db },
    )

  const whenSettled = async (id: string | undefined) =>
    vi.waitFor(
      async () => {
        const row = await webhooks.get(id ?? '', teamId)
        if (row.status === 'pending') throw new Error('still pending')
        return row
      },
      { timeout: 20_000, interval: 50 },
    )

  test('post an envelope with the headers and metadata of the caller, signed with the secret of the team', async ({
    expect,
  }) => {
    await using receiver = await startReceiver()
    await saveWebhookSecret(store.db, teamId, 'sesame')

    const id = await send({ url: receiver.url('/in?x=1'), headers: { 'X-Mine': 'yes' }, metadata: { shop: 'a' } })
    const [event] = await receiver.whenReceived(1)
    const row = await whenSettled(id)

    expect(event).toMatchObject({ path: '/in?x=1', headers: { 'x-mine': 'yes', 'content-type': 'application/json' } })
    expect(event?.body).toEqual({
      success: true,
      type: 'batch_scrape.page',
      id: 'job-1',
      webhookId: id,
      data: [{ markdown: '# Hi' }],
      metadata: { shop: 'a' },
    })
    expect(event?.headers['x-firecrawl-signature']).toBe(
      `sha256=${createHmac('sha256', 'sesame').update(event!.raw).digest('hex')}`,
    )
    expect(row).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] })
  })

  test('are retried with the same id until the receiver accepts them', async ({ expect }) => {
    await using receiver = await startReceiver((count) => [500, 302, 204][count - 1] ?? 200)

    const id = await send({ url: receiver.url() })
    const { attempts, status } = await whenSettled(id)

    expect(status).toBe('delivered')
    expect(attempts.map(({ statusCode }) => statusCode)).toEqual([500, 302, 204])
    expect(new Set(receiver.received.map(({ body }) => body['webhookId']))).toEqual(new Set([id]))
  })

  test('fail after the third retry and can then be resent', async ({ expect }) => {
    await using receiver = await startReceiver((count) => (count <= 4 ? 503 : 200))

    const id = await send({ url: receiver.url() })
    const failed = await whenSettled(id)
    await webhooks.redeliver(failed.id, teamId)
    const again = await whenSettled(id)

    expect(failed).toMatchObject({
      status: 'failed',
      attempts: Array.from({ length: 4 }, () => ({ error: 'The receiver responded with 503' })),
    })
    expect(again).toMatchObject({ status: 'delivered' })
    expect(again.attempts).toHaveLength(5)
  })

  test('server crashes during a delivery do not use up its retries', async ({ expect }) => {
    await using receiver = await startReceiver((count) => (count <= 3 ? 503 : 200))

    const id = await store.db.transaction().execute(async (db) => {
      const sent = await send({ url: receiver.url() }, { db })
      await sql`update pgboss.job set retry_count = 3 where data->>'id' = ${sent}`.execute(db)
      return sent
    })

    expect(await whenSettled(id)).toMatchObject({
      status: 'delivered',
      attempts: [{ statusCode: 503 }, { statusCode: 503 }, { statusCode: 503 }, { statusCode: 200 }],
    })
  })

  test('fail without a retry if the egress policy blocks the receiver', async ({ expect }) => {
    const id = await send({ url: 'http://10.0.0.1/hook' })

    expect(await whenSettled(id)).toMatchObject({
      status: 'failed',
      attempts: [{ error: expect.stringContaining('10.0.0.1:80 is refused') }],
    })
  })

  test('are sent once per key and only for subscribed events', async ({ expect }) => {
    await using receiver = await startReceiver()
    const webhook = { url: receiver.url() }

    const first = await send(webhook, { uniqueKey: 'job-1:page:7' })
    const second = await send(webhook, { uniqueKey: 'job-1:page:7' })
    const unwanted = await send({ ...webhook, events: ['completed'] })
    await whenSettled(first)

    expect([second, unwanted]).toEqual([undefined, undefined])
    expect(receiver.received).toHaveLength(1)
  })

  test('are sent when their transaction commits, and not after a rollback', async ({ expect }) => {
    await using receiver = await startReceiver()
    const message = {
      teamId,
      webhook: { url: receiver.url(), headers: {}, metadata: {}, events: ['page'] },
      event: 'crawl.page',
      jobId: 'job-2',
      content: { success: true, data: [] },
    }

    await expect(
      store.db.transaction().execute(async (db) => {
        await webhooks.send(message, { db })
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    const id = await store.db.transaction().execute((db) => webhooks.send(message, { db }))
    await whenSettled(id)

    expect(receiver.received.map(({ body }) => body['webhookId'])).toEqual([id])
  })

  test('cannot be resent if their body is not stored', async ({ expect }) => {
    await using receiver = await startReceiver()
    const id = await send({ url: receiver.url() }, { keepsPayload: false })
    const row = await whenSettled(id)

    expect(row.payload).toBeUndefined()
    await expect(webhooks.redeliver(row.id, teamId)).rejects.toMatchObject({ code: 'DELIVERY_GONE' })
  })
})

test('an event counts as delivered with the status, even if the response body never ends', async ({ expect }) => {
  await using receiver = await startReceiver(() => 'half')
  const dispatcher = getGlobalDispatcher()

  const outcome = await postEvent({ dispatcher, url: receiver.url(), headers: {}, body: '{}', timeoutMs: 500 })

  expect(outcome).toMatchObject({ statusCode: 200, error: undefined, isFinal: true })
})

test('an event fails after its time limit, even if the receiver accepts no connection', async ({
  expect,
  onTestFinished,
}) => {
  const dispatcher = new Agent({ connect: () => {} })
  onTestFinished(async () => dispatcher.destroy())

  const outcome = await postEvent({ dispatcher, url: 'http://127.0.0.1/', headers: {}, body: '{}', timeoutMs: 50 })

  expect(outcome).toMatchObject({ isFinal: false, error: 'No response within 0.05 s' })
})
