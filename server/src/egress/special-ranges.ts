import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = readonly [range: [Address, number], name: string]

/**
 * IPv4 ranges that are not public unicast: IANA's registries, and the cloud metadata service with a
 * public address.
 */
const specialIpv4: readonly Range[] = [
  range('169.254.0.0/16', 'link-local, where cloud metadata services are'),
  range('168.63.129.16/32', 'a cloud metadata service'),
  range('127.0.0.0/8', 'loopback'),
  range('10.0.0.0/8', 'private'),
  range('172.16.0.0/12', 'private'),
  range('192.168.0.0/16', 'private'),
  range('100.64.0.0/10', 'shared address space of carriers'),
  range('0.0.0.0/8', 'this host'),
  range('192.0.0.0/24', 'reserved for protocols'),
  range('192.0.2.0/24', 'documentation'),
  range('198.51.100.0/24', 'documentation'),
  range('203.0.113.0/24', 'documentation'),
  range('198.18.0.0/15', 'benchmarking'),
  range('192.88.99.0/24', 'reserved for protocols'),
  range('192.31.196.0/24', 'reserved for protocols'),
  range('192.52.193.0/24', 'reserved for protocols'),
  range('192.175.48.0/24', 'reserved for protocols'),
  range('224.0.0.0/4', 'multicast'),
  range('255.255.255.255/32', 'broadcast'),
  range('240.0.0.0/4', 'reserved'),
]

const specialIpv6: readonly Range[] = [
  range('::/128', 'this host'),
  range('::1/128', 'loopback'),
  range('::/96', 'an IPv4 address in IPv6 form'),
  range('fe80::/10', 'link-local'),
  range('fc00::/7', 'unique local, where cloud metadata services are'),
  range('fec0::/10', 'site-local'),
  range('ff00::/8', 'multicast'),
  range('64:ff9b:1::/48', 'private NAT64'),
  range('100::/64', 'discard'),
  range('2001::/23', 'reserved for protocols'),
  range('2001:db8::/32', 'documentation'),
  range('3fff::/20', 'documentation'),
  range('2620:4f:8000::/48', 'reserved for protocols'),
]

const globalUnicast = ipaddr.parseCIDR('2000::/3')
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')
const sixToFour = ipaddr.parseCIDR('2002::/16')
const teredo = ipaddr.parseCIDR('2001::/32')

/**
 * Describes why an address is not public. Undefined if it is. IPv6 forms of IPv4 addresses count as
 * the address they embed.
 */
export function specialRangeOf(address: Address): string | undefined {
  if (address instanceof ipaddr.IPv4) return nameIn(specialIpv4, address)
  const embedded = embeddedIpv4(address)
  if (embedded !== undefined) {
    const name = specialRangeOf(embedded)
    return name === undefined ? undefined : `${name}, as it embeds ${embedded.toString()}`
  }
  const name = nameIn(specialIpv6, address)
  return name ?? (address.match(globalUnicast) ? undefined : 'reserved')
}

function range(cidr: string, name: string): Range {
  return [ipaddr.parseCIDR(cidr), name]
}

function nameIn(ranges: readonly Range[], address: Address): string | undefined {
  return ranges.find(([range]) => isInRange(address, range))?.[1]
}

/** Returns whether an address is in a range of the same family. */
export function isInRange(address: Address, range: [Address, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range)
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray()
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (isInRange(address, nat64)) return new ipaddr.IPv4(bytes.slice(12))
  if (isInRange(address, sixToFour)) return new ipaddr.IPv4(bytes.slice(2, 6))
  // Teredo inverts the bits of the client's address.
  if (isInRange(address, teredo)) return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))
  return undefined
}
