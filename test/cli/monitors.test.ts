import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { startReceiver, type Receiver } from '../lab/receiver.ts'
import { startChangingSite, type ChangingSite } from '../../server/test/monitors/fixture.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** The cache spares each run the work of stripping and compiling its sources. */
const shared = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }

let undo: AsyncDisposableStack
let lab: Lab
let site: ChangingSite
let receiver: Receiver
beforeAll(async () => {
  undo = new AsyncDisposableStack()
  site = undo.use(await startChangingSite())
  receiver = undo.use(await startReceiver())
  lab = undo.use(await startLab())
})
afterAll(async () => undo.disposeAsync())

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { ...shared, BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey, ...env },
  })
  return stdout
}

test('a monitor is created, run, changed and paused, its diff is shown in colours, and its webhook is redelivered', async () => {
  site.set('/price', '<h1>Price</h1><p>Ten euros.</p>')
  const made = await run(['monitors', 'create', site.url('/price'), '--name', 'Price', '--webhook', receiver.url()])
  const id = /^id +(\S+)$/m.exec(made)![1]!
  const baseline = await run(['monitors', 'run', id])
  site.set('/price', '<h1>Price</h1><p>Twelve euros.</p>')
  await run(['monitors', 'run', id, '--json'])
  const arrived = async () =>
    (await lab.api('GET', '/v2/team/webhooks/deliveries?status=delivered')).body['data'].length
  await expect.poll(arrived, { timeout: 20_000 }).toBe(4)

  const [diff, checks, deliveries] = await Promise.all([
    run(['monitors', 'diff', id], { FORCE_COLOR: '1' }),
    run(['monitors', 'checks', id]),
    run(['webhooks', 'list', '--json']).then((text) => JSON.parse(text) as { id: string; event: string }[]),
  ])
  const again = await run(['webhooks', 'redeliver', deliveries[0]!.id])
  await run(['monitors', 'update', id, '--every', '6 hours', '--timezone', 'Europe/Berlin', '--days', '3'])
  const paused = await run(['monitors', 'pause', id])

  expect(made).toMatch(/^schedule +0 0 \* \* \* \(UTC\)$/m)
  expect(baseline).toContain(`1 new\n\nnew ${site.url('/price')}`)
  expect(diff).toContain('\u001B[31m-Ten euros.\u001B[39m\n\u001B[32m+Twelve euros.\u001B[39m')
  expect(checks).toMatch(/completed +manual .* 1 changed +1$/m)
  expect(deliveries.map(({ event }) => event)).toContain('monitor.check.completed')
  expect(again).toContain(receiver.url())
  expect(await receiver.whenReceived(5)).toHaveLength(5)
  expect(paused).toMatch(/^status +paused$/m)
  expect(paused).toMatch(/^schedule +0 \*\/6 \* \* \* \(Europe\/Berlin\)$/m)
})
