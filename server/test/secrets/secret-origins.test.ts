import { expect, test } from 'vitest'
import { setSecretRequest } from '../../../src/contract.ts'
import { decryptValue, encryptValue } from '../../src/secrets/encrypt-value.ts'
import { allowsOrigin, coversManyOwners } from '../../src/secrets/secret-origins.ts'

test.each([
  ['https://shop.example', 'https://shop.example', true],
  ['https://shop.example/', 'https://shop.example', true],
  ['https://SHOP.example:443', 'https://shop.example', true],
  ['https://shop.example', 'http://shop.example', false],
  ['https://shop.example', 'https://shop.example:8443', false],
  ['https://shop.example', 'https://shop.example.evil.test', false],
  ['https://shop.example', 'https://www.shop.example', false],
  ['https://*.shop.example', 'https://a.b.shop.example', true],
  ['https://*.shop.example', 'https://shop.example', false],
  ['https://*.shop.example', 'https://evilshop.example', false],
  ['https://*.shop.example:8443', 'https://a.shop.example:8443', true],
  ['https://*.shop.example:8443', 'https://a.shop.example', false],
  ['https://shop.example', '://', false],
  ['https://shop.example', 'null', false],
])('a secret of %s in a document of %s: %s', (allowed, origin, expected) => {
  expect(allowsOrigin([allowed], origin)).toBe(expected)
})

test.each([
  ['https://*.co.uk', true],
  ['https://*.github.io', true],
  ['https://*.com', true],
  ['https://*.shop.co.uk', false],
  ['https://co.uk', false],
])('%s covers hosts of different owners: %s', (origin, expected) => {
  expect(coversManyOwners(origin)).toBe(expected)
})

test.each([
  'shop.example',
  'https://shop.example/login',
  'http://*.shop.example',
  'https://*',
  'ftp://shop.example',
  '',
])('refuses %j as an origin', (origin) => {
  expect(setSecretRequest.safeParse({ value: 'value', origins: [origin] }).success).toBe(false)
})

test('a value is decrypted only with its key and what it is bound to, and if it was not changed', () => {
  const key = Buffer.alloc(32, 1)
  const encrypted = encryptValue('välue', key, 'team name https://shop.example')
  const changed = Buffer.from(encrypted)
  changed[20]! ^= 1

  expect(decryptValue(encrypted, key, 'team name https://shop.example')).toBe('välue')
  expect(decryptValue(encrypted, key, 'team name https://evil.test')).toBeUndefined()
  expect(decryptValue(encrypted, Buffer.alloc(32, 2), 'team name https://shop.example')).toBeUndefined()
  expect(decryptValue(changed, key, 'team name https://shop.example')).toBeUndefined()
  expect(encryptValue('välue', key, '')).not.toEqual(encryptValue('välue', key, ''))
})
