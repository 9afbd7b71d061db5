import { expect, test } from 'vitest'
import { describeFault, parseCommand } from '../../src/cdp/parse-command.ts'

const start = '{"id":7,"method":"Runtime.evaluate","params":{"a":'
const end = '},"sessionId":"A1"}'

test.each<[name: string, params: string]>([
  ['3 million empty objects', `[${'{},'.repeat(3_000_000)}{}]`],
  ['lists that are nested 2 million times', '['.repeat(2_000_000)],
  ['3 million properties', `{${'"k":0,'.repeat(3_000_000)}"k":0}`],
  ['30 million spaces', ' '.repeat(30_000_000)],
  ['6 million strings with an escaped quote', `[${'"\\"",'.repeat(6_000_000)}""]`],
])('a command with %s is refused without parsing it', (_name, params) => {
  const text = `${start}${params}${end}`

  expect(parseCommand(text)).toBeUndefined()
  expect(describeFault(text)).toMatchObject({ id: 7, sessionId: 'A1', message: expect.stringContaining('too many') })
})

test.each<[name: string, value: unknown]>([
  ['a string of 30 MB', 'x'.repeat(30_000_000)],
  ['a string with 300,000 objects in JSON', `[${'{"a":[1]},'.repeat(300_000)}1]`],
  ['a string that ends with a backslash, and others', ['\\'.repeat(2_000_001), '[', '\\"']],
  ['300,000 numbers in a list', Array.from({ length: 300_000 }, (_, index) => index)],
])('a command with %s is parsed', (_name, value) => {
  const text = JSON.stringify({ id: 7, method: 'Runtime.evaluate', params: { a: value }, sessionId: 'A1' })

  expect(parseCommand(text)?.params?.['a']).toEqual(value)
})

test.each([
  ['{"id":7,', undefined, 'parse', 'Message must be valid JSON'],
  ['{"id":"7","method":"A.b"}', undefined, 'request', "Message must have integer 'id' property"],
  ['{"method":7,"id":7}', 7, 'request', "Message must have string 'method' property"],
  ['[1]', undefined, 'request', 'Message must be an object'],
])('%s, which is no command, is described with its id', (text, id, kind, message) => {
  expect(parseCommand(text)).toBeUndefined()
  expect(describeFault(text)).toEqual({ id, sessionId: undefined, kind, message })
})

test.each(['{"id":7,"method":"A.b","params":null,"sessionId":""}', '{"id":7,"method":"A.b"}'])(
  '%s is a command without parameters and session',
  (text) => {
    expect(parseCommand(text)).toEqual({ id: 7, method: 'A.b', params: undefined, sessionId: undefined })
  },
)

test('a command with a session id of a megabyte, which its error would repeat, is malformed', () => {
  expect(parseCommand(JSON.stringify({ id: 1, method: 'A.b', sessionId: 'x'.repeat(1_000_000) }))).toBeUndefined()
  expect(parseCommand(JSON.stringify({ id: 1, method: 'A.b', sessionId: 'x'.repeat(32) }))).toBeDefined()
})
