import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { registerNode, listNodes } from '../../src/nodes/node-queries.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { openStore } from '../../src/store/open.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { startPostgres, type LabPostgres } from '../../../test/lab/postgres.ts'
import { startStandby, type Standby } from '../../../test/lab/standby.ts'

const fixture = new AsyncDisposableStack()
let primary: LabPostgres
let standby: Standby
/** Names the standby first: a server has to find the primary. */
let databaseUrl: string
beforeAll(async () => {
  primary = fixture.use(await startPostgres({ isDurable: true }))
  const database = await primary.createDatabase()
  standby = fixture.use(await startStandby(primary))
  const url = new URL(database.url)
  url.searchParams.set('host', `${standby.socketFolder},${primary.socketFolder}`)
  databaseUrl = url.href
})
afterAll(async () => fixture.disposeAsync())

test('a server with both hosts in its URL continues on the standby that became the primary', async () => {
  await using store = await openStore({ dataDir: '', databaseUrl })
  const errors: unknown[] = []
  await using queues = await openTaskQueues({ store, onError: (error) => errors.push(error) })
  const greeted: string[] = []
  const queue = { name: 'greet', expireSeconds: 30 }
  await queues.work<{ to: string }>(queue, { concurrency: 1 }, async ({ to }) => void greeted.push(to))
  const { id } = await registerNode(store.db, { id: uuidV7(), slots: 1 })
  await expect.poll(async () => nodeIdsOn(standby)).toEqual([id])

  await primary[Symbol.asyncDispose]()
  await expect(listNodes(store.db)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await standby.promote()

  await expect.poll(async () => store.ping().then(() => 'works'), { timeout: 15_000 }).toBe('works')
  expect((await listNodes(store.db)).map((node) => node.id)).toEqual([id])
  await queues.send(queue, { to: 'Ann' })
  await expect.poll(() => greeted, { timeout: 10_000 }).toEqual(['Ann'])
})

/** Ids of the nodes on a host that may be read-only. */
async function nodeIdsOn({ socketFolder }: Pick<Standby, 'socketFolder'>): Promise<readonly string[]> {
  const url = new URL(databaseUrl)
  url.searchParams.set('host', socketFolder)
  const client = new Client({ connectionString: url.href })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>('select id from node')
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
  }
}
