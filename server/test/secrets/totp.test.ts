import { expect, test } from 'vitest'
import { parseTotp, totpAt, type TotpSeed } from '../../src/secrets/totp.ts'

/** Encodes ASCII in base32. */
function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

const digits = '1234567890'.repeat(7)

// Appendix B of RFC 6238.
test.each([
  ['SHA1', 20, 59, '94287082'],
  ['SHA1', 20, 20_000_000_000, '65353130'],
  ['SHA256', 32, 1_111_111_109, '68084774'],
  ['SHA512', 64, 1_234_567_890, '93441116'],
])('computes the password of %s with %i bytes at %i s', (algorithm, length, seconds, expected) => {
  const seed = parseTotp(
    `otpauth://totp/Shop:ada?secret=${base32(digits.slice(0, length))}&algorithm=${algorithm.toLowerCase()}&digits=8`,
  )

  expect(totpAt(seed as TotpSeed, seconds * 1000)).toBe(expected)
})

test('a seed has six digits and 30 s, and may have spaces and lower case', () => {
  const seed = parseTotp(' gezd gnbv gy3t qojq gezd gnbv gy3t qojq ') as TotpSeed

  expect(totpAt(seed, 59_000)).toBe('287082')
  expect(totpAt(seed, 60_000)).not.toBe('287082')
})

test.each(['hunter2hunter2', 'GEZDGNBV', 'otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ', 'otpauth://totp/a?digits=6'])(
  'refuses %j without repeating it',
  (value) => {
    const fault = parseTotp(value)

    expect(fault).toEqual(expect.any(String))
    expect(fault).not.toMatch(/hunter2|GEZDGNBV/)
  },
)

test('refuses wrong parameters', () => {
  expect(parseTotp('otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&digits=9')).toMatch('wrong `digits`')
  expect(parseTotp('otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ&algorithm=MD5')).toMatch('wrong `algorithm`')
})
