import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createAddressPolicy } from '../../src/egress/address-policy.ts'
import { createOwnPorts } from '../../src/egress/own-ports.ts'

function judge(address: string, { allow = [], host = address, port = 80, ownPorts = createOwnPorts() }: Case = {}) {
  return createAddressPolicy({ allow, ownPorts }).judge(address, { host, port })
}

interface Case {
  readonly allow?: readonly string[]
  readonly host?: string
  readonly port?: number
  readonly ownPorts?: ReturnType<typeof createOwnPorts>
}

describe('by default', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:831::200e',
    '2002:808:808::1',
    '64:ff9b::8.8.8.8',
    '2001:0:4136:e378:8000:63bf:f7f7:f7f7',
  ])('%s is public', (address) => {
    expect(judge(address)).toMatchObject({ kind: 'public' })
  })

  test.each([
    ['0.0.0.0', 'this host'],
    ['0.1.2.3', 'this host'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carriers'],
    ['100.100.100.200', 'carriers'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'metadata'],
    ['169.254.169.254', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'protocols'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', 'protocols'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.251', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'this host'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'loopback'],
    ['::7f00:1', 'IPv4'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['::ffff:0:127.0.0.1', 'reserved'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1::1', 'NAT64'],
    ['100::1', 'discard'],
    ['2001:0:4136:e378:8000:63bf:80ff:fffe', 'loopback'],
    ['2001:2::1', 'protocols'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::1', 'loopback'],
    ['2002:c0a8:101::1', 'private'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
  ])('%s is blocked: %s', (address, reason) => {
    expect(judge(address)).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) })
  })
})

test('an IPv4 address in IPv6 notation is converted to IPv4', () => {
  expect(judge('::ffff:8.8.8.8')).toEqual({ kind: 'public', address: '8.8.8.8' })
})

describe('an `allow` entry for', () => {
  test.each([
    ['an address', ['127.0.0.1'], '127.0.0.1', 80],
    ['an address in another notation', ['127.0.0.1'], '::ffff:7f00:1', 80],
    ['a mapped address', ['::ffff:10.0.0.1'], '10.0.0.1', 80],
    ['an IPv4 range', ['10.0.0.0/8'], '10.200.3.4', 8080],
    ['an IPv6 range', ['fd00::/8'], 'fd12::1', 80],
    ['an address and a port', ['127.0.0.1:8080'], '127.0.0.1', 8080],
    ['an IPv6 address and a port', ['[::1]:8080'], '::1', 8080],
    ['a range and a port', ['10.0.0.0/8:443'], '10.1.1.1', 443],
  ] as const)('%s allows it', (_what, allow, address, port) => {
    expect(judge(address, { allow, port })).toMatchObject({ kind: 'allowed' })
  })

  test.each([
    ['an address does not allow other addresses', ['127.0.0.1'], '127.0.0.2', 80],
    ['a range does not allow addresses outside it', ['10.0.0.0/9'], '10.128.0.0', 80],
    ['an IPv4 range does not allow IPv6 addresses', ['0.0.0.0/0'], '::1', 80],
    ['a port does not allow other ports', ['127.0.0.1:8080'], '127.0.0.1', 8081],
  ] as const)('%s', (_what, allow, address, port) => {
    expect(judge(address, { allow, port })).toMatchObject({ kind: 'refused' })
  })

  test('a host name allows any address it resolves to, but not under another name', () => {
    const allow = ['Intranet.example']

    expect(judge('10.0.0.1', { allow, host: 'intranet.example.' })).toMatchObject({ kind: 'allowed' })
    expect(judge('10.0.0.1', { allow, host: 'evil.example' })).toMatchObject({ kind: 'refused' })
    expect(judge('10.0.0.1', { allow, host: 'x.intranet.example' })).toMatchObject({ kind: 'refused' })
    expect(judge('10.0.0.1', { allow: ['intranet.example:81'], host: 'intranet.example' })).toMatchObject({
      kind: 'refused',
    })
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/8/8', '300.1.1.1', '127.1', '::1/129', '[::1', '1.2.3.4:99999', '*', '-x.example'])(
  'the entry %j is rejected',
  (entry) => {
    expect(() => judge('1.1.1.1', { allow: [entry] })).toThrow(`Invalid \`allow\` entry`)
  },
)

describe('a port of the server itself', () => {
  test('is blocked on every address of this machine, even if it is allowed', () => {
    const ownPorts = createOwnPorts()
    using _guard = ownPorts.block(3900)
    const allow = ['0.0.0.0/0', '::/0']
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? [])

    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::', '::ffff:127.0.0.1', ...interfaces]) {
      const verdict = judge(address, { allow, ownPorts, port: 3900 })
      expect(verdict, address).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('belongs to the server itself'),
      })
    }
  })

  test('is blocked on the other machine it belongs to, and nowhere else', () => {
    const ownPorts = createOwnPorts()
    using _guard = ownPorts.block(5432, ['10.0.0.5'])
    const allow = ['10.0.0.0/8']

    expect(judge('10.0.0.5', { allow, ownPorts, port: 5432 })).toMatchObject({ kind: 'refused' })
    expect(judge('10.0.0.6', { allow, ownPorts, port: 5432 })).toMatchObject({ kind: 'allowed' })
    expect(judge('10.0.0.5', { allow, ownPorts, port: 5433 })).toMatchObject({ kind: 'allowed' })
  })

  test('is available again once it is unblocked', () => {
    const ownPorts = createOwnPorts()
    const guard = ownPorts.block(3900)
    guard[Symbol.dispose]()

    expect(judge('127.0.0.1', { allow: ['127.0.0.1'], ownPorts, port: 3900 })).toMatchObject({ kind: 'allowed' })
  })
})
