import { expect, test } from 'vitest'
import { isTargetEvent, cdpSessionIdAtTail, withoutCdpSessionId } from '../../src/cdp/message.ts'

const cdpSessionId = '0123456789ABCDEF0123456789ABCDEF'

test('the session id is parsed from the end of a message', () => {
  expect(cdpSessionIdAtTail(Buffer.from(`{"id":1,"result":{},"sessionId":"${cdpSessionId}"}`))).toBe(cdpSessionId)
})

test.each([
  ['a response of the browser target', '{"id":1,"result":{}}'],
  ['a result with a session id', `{"id":1,"result":{"targetId":"x","sessionId":"${cdpSessionId}"}}`],
  ['a message with a shorter id', '{"id":1,"result":{},"sessionId":"0123"}'],
  [
    'page text that looks like a session id',
    JSON.stringify({ id: 1, result: { value: `","sessionId":"${cdpSessionId}"}` } }),
  ],
  ['an empty message', ''],
])('no session id is found in %s', (_what, message) => {
  expect(cdpSessionIdAtTail(Buffer.from(message))).toBeUndefined()
})

test('the session id is removed from a message', () => {
  const message = withoutCdpSessionId(Buffer.from(`{"id":1,"result":{"a":"b"},"sessionId":"${cdpSessionId}"}`))

  expect(message.toString()).toBe('{"id":1,"result":{"a":"b"}}')
})

test('events of the Target domain are recognized', () => {
  expect(isTargetEvent(Buffer.from('{"method":"Target.attachedToTarget","params":{}}'))).toBe(true)
  expect(isTargetEvent(Buffer.from('{"method":"Page.loadEventFired","params":{}}'))).toBe(false)
})

test.each([
  [true, '{"method":"Target.targetCreated'],
  [true, '{"method":"Target.receivedMessageFromTarget'],
  [false, '{"method":"Page.javascriptDialogOpening'],
  [false, '{"id":1,"result":{"method":"Target.targetCreated'],
])('of a session without flatten, it is %s that %s changes targets', (isExpected, start) => {
  const message = JSON.stringify(`${start}"`).slice(0, -1)
  const event = `{"method":"Target.receivedMessageFromTarget","params":{"sessionId":"${cdpSessionId}","message":${message}`

  expect(isTargetEvent(Buffer.from(event))).toBe(isExpected)
})
