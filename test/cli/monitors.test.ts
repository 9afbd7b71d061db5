import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../lab/lab.ts'
import { startReceiver, type Receiver } from '../lab/receiver.ts'
import { startChangingSite, type ChangingSite } from '../server/monitors/world.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

let undo: AsyncDisposableStack
let lab: Lab
let site: ChangingSite
let receiver: Receiver
beforeAll(async () => {
  undo = new AsyncDisposableStack()
  site = undo.use(await startChangingSite())
  receiver = undo.use(await startReceiver())
  lab = undo.use(await startLab({ warm: 0 }))
})
afterAll(async () => undo.disposeAsync())

const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey, ...env },
  })
  return stdout
}

test('a monitor is made, run, paused and deleted, and its diff shown in colours', async () => {
  site.set('/price', '<h1>Price</h1><p>Ten euros.</p>')
  const made = await run(['monitors', 'create', site.url('/price'), '--name', 'Price', '--webhook', receiver.url()])
  const id = /^id +(\S+)$/m.exec(made)![1]!
  const baseline = await run(['monitors', 'run', id])
  site.set('/price', '<h1>Price</h1><p>Twelve euros.</p>')
  await run(['monitors', 'run', id, '--json'])

  const diff = await run(['monitors', 'diff', id], { FORCE_COLOR: '1' })

  expect(made).toMatch(/^schedule +0 0 \* \* \* \(UTC\)$/m)
  expect(baseline).toContain(`1 new\n\nnew ${site.url('/price')}`)
  expect(diff).toContain('\u001B[31m-Ten euros.\u001B[39m\n\u001B[32m+Twelve euros.\u001B[39m')
  expect(await run(['monitors', 'pause', id])).toMatch(/^status +paused$/m)
  await expect(run(['monitors', 'run', id])).rejects.toMatchObject({
    stderr: expect.stringContaining('MONITOR_PAUSED'),
  })
  expect(await run(['monitors', 'checks', id])).toMatch(/completed +manual .* 1 changed +1$/m)

  const deliveries = JSON.parse(await run(['webhooks', 'list', '--json'])) as { id: string; event: string }[]
  const again = await run(['webhooks', 'redeliver', deliveries[0]!.id])

  expect(deliveries.map(({ event }) => event)).toContain('monitor.check.completed')
  expect(again).toContain(receiver.url())
  expect(await receiver.whenReceived(5)).toHaveLength(5)
  expect(await run(['monitors', 'delete', id])).toBe(`monitor ${id}: deleted\n`)
})
