import { expect, test } from 'vitest'
import { ClientBuffers } from '../../src/gateway/client-buffers.ts'

const megabyte = 1024 * 1024

test('the clients of a session share the memory for what they have not received', () => {
  const buffers = new ClientBuffers()
  const session = {}
  const limits = buffers.limitsOf(session)
  const inMegabytes = (): readonly number[] => [
    limits.maxBufferedBytes() / megabyte,
    limits.maxUnacknowledgedBytes() / megabyte,
  ]

  const leave = Array.from({ length: 8 }, () => buffers.add(session))
  buffers.add({})
  const ofEight = inMegabytes()
  for (let count = 0; count < 992; count += 1) leave.push(buffers.add(session))
  const ofThousand = inMegabytes()
  for (const one of leave.splice(1)) one()

  expect({ ofEight, ofThousand, ofOne: inMegabytes() }).toEqual({
    ofEight: [8, 8],
    ofThousand: [1, 4],
    ofOne: [16, 64],
  })
})
