import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { startReceiver, type Receiver } from '../lab/receiver.ts'
import { runCommand } from '../lab/run-command.ts'
import { startChangingSite, type ChangingSite } from '../../server/test/monitors/fixture.ts'

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
  const server = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
  const { code, out, errors } = await runCommand(args, { env: { ...server, ...env } })
  expect(code, errors).toBe(0)
  return out
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

  const diff = await run(['monitors', 'diff', id], { FORCE_COLOR: '1' })
  const checks = await run(['monitors', 'checks', id])
  const deliveries = JSON.parse(await run(['webhooks', 'list', '--json'])) as { id: string; event: string }[]
  const again = await run(['webhooks', 'redeliver', deliveries[0]!.id])
  await run(['monitors', 'update', id, '--every', '6 hours', '--timezone', 'Europe/Berlin', '--days', '3'])
  const paused = await run(['monitors', 'pause', id])

  expect(made).toMatch(/^schedule +daily \(UTC\)$/m)
  expect(baseline).toContain(`1 new\n\nnew ${site.url('/price')}`)
  expect(diff).toContain('\u001B[31m-Ten euros.\u001B[39m\n\u001B[32m+Twelve euros.\u001B[39m')
  expect(checks).toMatch(/completed +manual .* 1 changed +1$/m)
  expect(deliveries.map(({ event }) => event)).toContain('monitor.check.completed')
  expect(again).toContain(receiver.url())
  expect(await receiver.whenReceived(5)).toHaveLength(5)
  expect(paused).toMatch(/^status +paused$/m)
  expect(paused).toMatch(/^schedule +every 6 hours \(Europe\/Berlin\)$/m)
})

test('bowline monitors run exits with 1 if a page could not be checked, and create passes selectors on', async () => {
  site.set('/part', '<main>Part</main>')
  const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
  const flags = ['--include-tags', 'main', '--exclude-tags', '.ad', '--wait-for', '5']
  const made = await run(['monitors', 'create', site.url('/part'), 'http://127.0.0.1:9/', ...flags, '--json'])
  const { id, targets } = JSON.parse(made) as { id: string; targets: unknown }

  const checked = await runCommand(['monitors', 'run', id], { env })

  expect(targets).toMatchObject([{ scrapeOptions: { includeTags: ['main'], excludeTags: ['.ad'], waitFor: 5 } }])
  expect(checked).toMatchObject({ code: 1, out: expect.stringContaining('1 new, 1 error\n') as string })
})
