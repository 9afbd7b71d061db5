import { expect, test } from 'vitest'
import { HeldCommands } from '../../src/gateway/held-commands.ts'

const megabyte = 1024 * 1024

test('commands that are held again count with their size', () => {
  const held = new HeldCommands()
  for (const queue of ['first', 'second']) held.open(queue)
  held.hold('first', { id: 1, method: 'Input.insertText' }, 40 * megabyte)

  for (const command of held.take('first')) held.hold('second', command, 0)

  expect(held.hold('second', { id: 2, method: 'Input.insertText' }, 40 * megabyte)).toBe('full')
})
