import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { BowlineError } from 'bowline/kit/errors'
import type { HostPort } from './host-port.ts'
import { isInRange } from './special-ranges.ts'

/** Whether an entry allows this address for this target. */
export type AllowEntry = (address: ipaddr.IPv4 | ipaddr.IPv6, target: HostPort) => boolean

/**
 * Parses one `--allow` entry: an address, a CIDR range or a host name, each with an optional
 * `:port` (`[::1]:80` for IPv6). A name allows every address that this exact name resolves to, but
 * not under another name. Throws CONFIG_INVALID.
 */
export function parseAllowEntry(text: string): AllowEntry {
  const { host, port } = splitPort(text)
  const isPort = (target: HostPort): boolean => port === undefined || target.port === port
  const range = parseRange(host)
  if (range !== undefined) return (address, target) => isPort(target) && isInRange(address, range)
  if (!isHostName(host)) throw invalid(text)
  const name = normalizeHost(host)
  return (_address, target) => isPort(target) && normalizeHost(target.host) === name
}

/** Normalizes a host name for comparison: lower case, without a trailing dot. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

function splitPort(text: string): { host: string; port: number | undefined } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(text)
  // Several colons without brackets are an IPv6 address without a port.
  const plain = /^([^:]+):(\d+)$/.exec(text)
  const [, host = text, digits] = bracketed ?? plain ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) throw invalid(text)
  return { host, port }
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return undefined
  const width = family === 4 ? 32 : 128
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(length >= 0 && length <= width)) throw invalid(text)
  const parsed = ipaddr.parse(address)
  // Mapped addresses are checked in their IPv4 form, so the range must be an IPv4 range too.
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= 96) {
    return [parsed.toIPv4Address(), length - 96]
  }
  return [parsed, length]
}

function isHostName(host: string): boolean {
  return (
    host.length <= 253 && /^[a-z\d_](?:[\w-]*\w)?(?:\.[a-z\d_](?:[\w-]*\w)?)*\.?$/i.test(host) && !/^[\d.]+$/.test(host)
  )
}

function invalid(text: string): BowlineError {
  return new BowlineError('CONFIG_INVALID', `Invalid \`allow\` entry ${JSON.stringify(text)}`, {
    hint: 'Entries are IP addresses, CIDR ranges or host names, each with an optional `:port`: 10.0.0.0/8, [::1]:8080, intranet.example.',
  })
}
