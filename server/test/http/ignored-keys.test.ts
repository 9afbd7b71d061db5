import { expect, test } from 'vitest'
import { routes } from '../../../src/contract/routes.ts'
import { unknownKeysWarning, unknownParametersWarning } from '../../src/http/ignored-keys.ts'

test.each([
  ['a key with 200,000 letters', { ['x'.repeat(200_000)]: 1 }, /x…\.$/],
  ['20 keys', namedKeys(20), /`key19`\.$/],
  ['20,000 keys', namedKeys(20_000), /`key19` and 19,980 more\.$/],
])('%s are listed briefly and quickly', (_, body, end) => {
  const startedAt = performance.now()

  const warning = unknownKeysWarning(routes.createSession, body)

  // Comparing the whole key with all known keys would take 14 s.
  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(warning?.length).toBeLessThan(1000)
  expect(warning).toMatch(end)
})

test('a misspelt key is reported with a suggestion', () => {
  expect(unknownKeysWarning(routes.createSession, { tll: 60 })).toContain('`tll` (did you mean `ttl`?)')
})

function namedKeys(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 1]))
}

test('routes without a body name all keys, and routes for files none', () => {
  expect(unknownKeysWarning(routes.runMonitor, { urls: [], origin: 'sdk' })).toBe('Unknown key was ignored: `urls`.')
  expect(unknownKeysWarning(routes.runMonitor, undefined)).toBeUndefined()
  expect(unknownKeysWarning(routes.uploadFile, Buffer.from('%PDF'))).toBeUndefined()
})

test('unknown parameters of a query are named, with the one that was meant', () => {
  const parameters = { stauts: 'active', 'metadata[team]': 'shop', origin: 'sdk' }

  expect(unknownParametersWarning(routes.listSessions, parameters)).toBe(
    'Unknown query parameter was ignored: `stauts` (did you mean `status`?).',
  )
  expect(unknownParametersWarning(routes.runMonitor, {})).toBeUndefined()
})
