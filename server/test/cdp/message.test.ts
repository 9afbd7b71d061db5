import { expect, test } from 'vitest'
import { isTargetEvent, cdpSessionIdAtTail, withoutSessionId } from '../../src/cdp/message.ts'

const sessionId = '0123456789ABCDEF0123456789ABCDEF'

test('the session is read from the end of a message', () => {
  expect(cdpSessionIdAtTail(Buffer.from(`{"id":1,"result":{},"sessionId":"${sessionId}"}`))).toBe(sessionId)
})

test.each([
  ['an answer of the browser itself', '{"id":1,"result":{}}'],
  ['a session within the result', `{"id":1,"result":{"targetId":"x","sessionId":"${sessionId}"}}`],
  ['a shorter id', '{"id":1,"result":{},"sessionId":"0123"}'],
  ['text of a page that looks like one', JSON.stringify({ id: 1, result: { value: `","sessionId":"${sessionId}"}` } })],
  ['nothing', ''],
])('no session is seen in %s', (_what, message) => {
  expect(cdpSessionIdAtTail(Buffer.from(message))).toBeUndefined()
})

test('the session is taken off a message', () => {
  const message = withoutSessionId(Buffer.from(`{"id":1,"result":{"a":"b"},"sessionId":"${sessionId}"}`))

  expect(message.toString()).toBe('{"id":1,"result":{"a":"b"}}')
})

test('events of the Target domain are told from others', () => {
  expect(isTargetEvent(Buffer.from('{"method":"Target.attachedToTarget","params":{}}'))).toBe(true)
  expect(isTargetEvent(Buffer.from('{"method":"Page.loadEventFired","params":{}}'))).toBe(false)
})
