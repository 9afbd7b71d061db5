import { expect, test } from 'vitest'
import { parseJson, parseJsonObject } from '../../src/kit/parse-json.ts'

test('malformed JSON is undefined', () => {
  expect(['{', '', '{} {}'].map(parseJson)).toEqual([undefined, undefined, undefined])
  expect(['null', '[1]', '"a"'].map(parseJson)).toEqual([null, [1], 'a'])
})

test('only objects are JSON objects', () => {
  expect(['[]', 'null', '1', '{', ''].map(parseJsonObject)).toEqual(Array(5).fill(undefined))
  expect(parseJsonObject('{"a":[]}')).toEqual({ a: [] })
})
