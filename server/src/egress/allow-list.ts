import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BowlineError } from 'bowline/kit/errors'
import { isInRange } from './special-ranges.ts'

/** Where a connection is to go. */
export interface Target {
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
}

/** Says whether an entry opens this address for this target. */
export type AllowEntry = (address: ipaddr.IPv4 | ipaddr.IPv6, target: Target) => boolean

/**
 * Reads one `--allow` entry: an address, a CIDR range or a host name, each with an optional `:port` (`[::1]:80` for IPv6).
 * A name opens whatever that very name resolves to, and nothing under another name. Throws CONFIG_INVALID.
 */
export function parseAllowEntry(text: string): AllowEntry {
  const { place, port } = splitPort(text)
  const isPort = (target: Target): boolean => port === undefined || target.port === port
  const range = parseRange(place)
  if (range !== undefined) return (address, target) => isPort(target) && isInRange(address, range)
  if (!isHostName(place)) throw invalid(text)
  const name = plainName(place)
  return (_address, target) => isPort(target) && plainName(target.host) === name
}

/** A host name as it is compared: lower case, without the dot at its end. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

function splitPort(text: string): { place: string; port: number | undefined } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text)
  // More than one colon without brackets is an IPv6 address, not a port.
  const plain = /^([^:]+):(\d+)$/.exec(text)
  const [, place = text, digits] = bracketed ?? plain ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) throw invalid(text)
  return { place, port }
}

function parseRange(place: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const [address = '', bits, ...rest] = place.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return undefined
  const width = family === 4 ? 32 : 128
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(length >= 0 && length <= width)) throw invalid(place)
  const parsed = ipaddr.parse(address)
  // Addresses are judged in their IPv4 form, so the range must be one of IPv4, too.
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= 96) {
    return [parsed.toIPv4Address(), length - 96]
  }
  return [parsed, length]
}

function isHostName(place: string): boolean {
  return (
    place.length <= 253 &&
    /^[a-z\d_](?:[\w-]*\w)?(?:\.[a-z\d_](?:[\w-]*\w)?)*\.?$/i.test(place) &&
    !/^[\d.]+$/.test(place)
  )
}

function invalid(text: string): BowlineError {
  return new BowlineError('CONFIG_INVALID', `\`allow\` does not accept ${JSON.stringify(text)}`, {
    hint: 'Entries are IP addresses, CIDR ranges or host names, each with an optional `:port`: 10.0.0.0/8, [::1]:8080, intranet.example.',
  })
}
