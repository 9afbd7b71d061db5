import { expect, test } from 'vitest'
import { redactionOf, type RedactOptions } from '../../../../src/contract/redaction.ts'
import { redactPersonalData } from '../../../src/scrape/format/redact-personal-data.ts'

const options = redactionOf(true)!

test.each([
  ['mail ada@example.com, please', 'mail [EMAIL], please'],
  ['<a.b+c@mail.example.co.uk>', '<[EMAIL]>'],
  ['call +49 30 123456-78 or 0049 30 1234567.', 'call [PHONE] or [PHONE].'],
  ['call (030) 1234567 or 212-555-0142.', 'call [PHONE] or [PHONE].'],
  ['card 4242 4242 4242 4242', 'card [FINANCIAL]'],
  ['account DE89 3704 0044 0532 0130 00', 'account [FINANCIAL]'],
  ['key AKIAIOSFODNN7EXAMPLE', 'key [SECRET]'],
  ['password: hunter2secret', 'password: [SECRET]'],
  ['{"api_key":"abcdef123456"}', '{"api_key":"[SECRET]"}'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijklmnop', '[SECRET]'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', '[SECRET]'],
])('personal data is replaced by its kind: %s', (text, redacted) => {
  expect(redactPersonalData(text, options)).toBe(redacted)
})

test.each([
  'on 2024-01-15 at 10:30:00',
  'version 1.22.333, 12,345,678 people, 3.14159265358979',
  'card number 4242 4242 4242 4243 fails its check digit',
  'account DE00 3704 0044 0532 0130 00 as well',
  'order 1234567890123 of 030 1234567',
  'the password: change it',
  'user@localhost and @handle',
])('other text stays: %s', (text) => {
  expect(redactPersonalData(text, options)).toBe(text)
})

test.each<readonly [Partial<RedactOptions>, string]>([
  [{ replaceStyle: 'mask' }, '*'.repeat(15)],
  [{ replaceStyle: 'remove' }, ''],
  [{ entities: ['PHONE'] }, 'ada@example.com'],
])('options decide on kinds and replacement: %j', (chosen, redacted) => {
  expect(redactPersonalData('ada@example.com', { ...options, ...chosen })).toBe(redacted)
})

test('the mode aggressive also redacts national numbers', () => {
  expect(redactPersonalData('call 030 1234567.', { ...options, mode: 'aggressive' })).toBe('call [PHONE].')
})
