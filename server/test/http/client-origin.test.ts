import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { ClientOrigin } from '../../src/http/client-origin.ts'

const forwarded = {
  host: 'internal:3900',
  'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.0.0.4',
  'x-forwarded-proto': 'http, https',
  'x-forwarded-host': 'evil.example, browsers.example',
}

function requestFrom(remoteAddress: string, headers: object = forwarded): IncomingMessage {
  return { headers, socket: { remoteAddress }, connection: { remoteAddress } } as unknown as IncomingMessage
}

const origin = new ClientOrigin({ publicUrl: undefined, trustedProxies: ['10.0.0.0/8', 'loopback'] })

test.each([
  ['10.0.0.3', '198.51.100.7', 'https://browsers.example'],
  ['127.0.0.1', '198.51.100.7', 'https://browsers.example'],
  ['192.0.2.1', '192.0.2.1', 'http://internal:3900'],
])('a request from %s comes from %s, to %s', (remoteAddress, address, baseUrl) => {
  const request = requestFrom(remoteAddress)

  expect([origin.addressOf(request), origin.baseUrlOf(request)]).toEqual([address, baseUrl])
})

test('without forwarded headers, the connection and the Host header count', () => {
  const request = requestFrom('10.0.0.3', { host: 'internal:3900' })

  expect([origin.addressOf(request), origin.baseUrlOf(request)]).toEqual(['10.0.0.3', 'http://internal:3900'])
})

test('the public URL takes precedence', () => {
  const fixed = new ClientOrigin({ publicUrl: 'https://public.example', trustedProxies: ['loopback'] })

  expect(fixed.baseUrlOf(requestFrom('127.0.0.1'))).toBe('https://public.example')
})

test('--trusted-proxies takes addresses, ranges and names of ranges', () => {
  expect(parseConfig({ trustedProxies: 'loopback, 10.0.0.0/8, ::1' }).trustedProxies).toEqual([
    'loopback',
    '10.0.0.0/8',
    '::1',
  ])
  expect(() => parseConfig({ trustedProxies: ['proxy.example'] })).toThrow('does not accept ["proxy.example"]')
})
