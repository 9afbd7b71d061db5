import { expect, test } from 'vitest'
import { closeCodes } from '../../src/contract/close-codes.ts'
import { connectionLost } from '../../src/client/connection-lost.ts'

test.each([
  [closeCodes.ttl, 'ttl', 'the TTL of the session expired (close code 4001)'],
  [closeCodes.crashed, 'crashed', 'the browser crashed (close code 4003)'],
  [closeCodes['not-resumable'], 'not-resumable', 'it was interrupted and could not be resumed (close code 4010)'],
  [1006, '', 'it was closed without a reason (close code 1006)'],
  [1006, 'connect ECONNREFUSED', 'connect ECONNREFUSED (close code 1006)'],
  [1008, 'constructor', 'constructor (close code 1008)'],
])('the error for a connection that ended with %d %j names the reason', (code, reason, why) => {
  expect(connectionLost('session-1', code, reason)).toMatchObject({
    code: 'CONNECTION_LOST',
    message: `The connection to session session-1 was lost: ${why}`,
  })
})

test.each([
  [closeCodes.closed, 'closed'],
  [1005, ''],
])('a connection that its user has ended, with %d %j, was not lost', (code, reason) => {
  expect(connectionLost('session-1', code, reason)).toBeUndefined()
})

test.each([
  [closeCodes.drained, 'drained', 'Create a new session'],
  [closeCodes.deleted, 'deleted', 'Create a new session'],
  [closeCodes.replaced, 'replaced', 'The session may still be alive'],
  [1006, '', 'The session may still be alive'],
])('the advice after %d %j is to create a session only if this one has ended', (code, reason, advice) => {
  expect(connectionLost('session-1', code, reason)?.hint).toContain(advice)
})
