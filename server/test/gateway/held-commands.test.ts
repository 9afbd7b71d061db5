import { expect, test } from 'vitest'
import type { CdpCommand } from '../../src/cdp/message.ts'
import { ClientHandoffs, type ClientHandoffsDeps } from '../../src/gateway/client-handoffs.ts'
import { HeldCommands, HeldMemory } from '../../src/gateway/held-commands.ts'
import type { Handoff, HandoffEnd } from '../../src/handoff/handoffs.ts'

const megabyte = 1024 * 1024

test('commands that are held again count with their size', () => {
  const held = new HeldCommands()
  for (const queue of ['first', 'second']) held.open(queue)
  held.hold('first', { id: 1, method: 'Input.insertText' }, 40 * megabyte)

  for (const command of held.take('first')) held.hold('second', command, 0)

  expect(held.hold('second', { id: 2, method: 'Input.insertText' }, 40 * megabyte)).toBe('full')
})

test('the clients of a session share 64 MB for held commands', () => {
  const memory = new HeldMemory()
  const [left, right] = [new HeldCommands(memory), new HeldCommands(memory)]
  for (const held of [left, right]) held.open('queue')
  const hold = (held: HeldCommands) => held.hold('queue', { id: 1, method: 'Input.insertText' }, 40 * megabyte)

  const held = [hold(left), hold(right)]
  left.clear()

  expect([...held, hold(right)]).toEqual(['held', 'full', 'held'])
})

test('commands that the server executes count until it has', async () => {
  const memory = new HeldMemory()
  const executed = Promise.withResolvers<void>()
  const run = (): boolean => memory.tryRun(40 * megabyte, async () => executed.promise)

  const accepted = [run(), run()]
  executed.resolve()

  expect(accepted).toEqual([true, false])
  await expect.poll(run).toBe(true)
})

test.each([
  ['viewer', 1],
  ['session-ended', 0],
] as const)('commands that wait for a hand-off that ends by %s are sent %d times', (endedBy, times) => {
  let handoff = { id: 'H', targetId: 'T', input: 'wait' } as Handoff
  let notify = (_handoff: Handoff): void => {}
  const handoffs = {
    of: () => handoff,
    onChange: (listener: (handoff: Handoff) => void) => {
      notify = listener
      return () => undefined
    },
  }
  const released: CdpCommand[] = []
  const clientHandoffs = new ClientHandoffs({
    session: { handoffs },
    held: new HeldCommands(),
    pages: { pageOf: () => 'T' },
    targets: { sessionsOf: () => [] },
    send: () => undefined,
    release: (commands: readonly CdpCommand[]) => released.push(...commands),
  } as unknown as ClientHandoffsDeps)

  const verdict = clientHandoffs.holdInput({ id: 1, method: 'Input.insertText' }, 100)
  const end: HandoffEnd = { isSuccess: false, endedBy }
  handoff = { ...handoff, end: { ...end, at: new Date() } }
  notify(handoff)

  expect([verdict, released.length]).toEqual(['held', times])
})
