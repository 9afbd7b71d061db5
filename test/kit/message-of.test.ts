import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { messageOf } from '../../src/kit/message-of.ts'

test.each([
  ['an error', new TypeError('not a function'), 'not a function'],
  ['an error without a message', new Error(), ''],
  ['an error of another realm', runInNewContext('new Error("from afar")'), 'from afar'],
  ['a string', 'broken', 'broken'],
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['an object that only looks like an error', { message: 'no error' }, '[object Object]'],
])('the message of %s is %s', (_what, thrown, message) => {
  expect(messageOf(thrown)).toBe(message)
})
