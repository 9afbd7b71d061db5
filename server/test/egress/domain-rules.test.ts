import { expect, test } from 'vitest'
import { createDomainRules } from '../../src/egress/domain-rules.ts'

test('rules for pages hold for a host with a space, which Chromium accepts', () => {
  const allowing = createDomainRules({ allowedDomains: { navigation: ['*.shop.example'] } })?.navigationRefusalOf
  const blocking = createDomainRules({ blockedDomains: { navigation: ['*.ads.example'] } })?.navigationRefusalOf

  expect(allowing?.('http://a%20b.shop.example/')).toBeUndefined()
  expect(allowing?.('http://a%20b.other.example/')).toBe('allowedDomains')
  expect(blocking?.('https://a%20b.ads.example:8443/x')).toBe('blockedDomains')
})
