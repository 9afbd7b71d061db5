import ipaddr from 'ipaddr.js'
import { parseAllowEntry, type Target } from './allow-list.ts'
import type { OwnPorts } from './own-ports.ts'
import { specialRangeOf } from './special-ranges.ts'

/** What may become of a connection to one address: `allowed` addresses are opened by `--allow`, `public` ones by default. */
export type AddressVerdict =
  | { readonly kind: 'public' | 'allowed'; readonly address: string }
  | { readonly kind: 'refused'; readonly address: string; readonly reason: string; readonly hint?: string }

/** Decides which resolved addresses may be connected to. */
export interface AddressPolicy {
  /** Judges one resolved address of a target. The verdict's address is the one to connect to. */
  readonly judge: (address: string, target: Target) => AddressVerdict
}

/** Options of `createAddressPolicy`. */
export interface AddressPolicyOptions {
  /** Entries as `parseAllowEntry` reads them. Default: none, so public unicast addresses only. */
  readonly allow?: readonly string[] | undefined
  /** Refused even where a range is allowed. */
  readonly ownPorts: OwnPorts
}

/** Makes the policy. Throws CONFIG_INVALID when an entry cannot be read. */
export function createAddressPolicy({ allow = [], ownPorts }: AddressPolicyOptions): AddressPolicy {
  const entries = allow.map((entry) => parseAllowEntry(entry))
  return {
    judge: (given, target) => {
      const parsed = ipaddr.process(withoutZone(given))
      const address = parsed.toString()
      if (ownPorts.includes(address, target.port)) {
        return {
          kind: 'refused',
          address,
          reason: `port ${target.port} there belongs to this server`,
          hint: 'Ports of the server itself stay closed, whatever `--allow` opens.',
        }
      }
      if (entries.some((opens) => opens(parsed, target))) return { kind: 'allowed', address }
      const special = specialRangeOf(parsed)
      return special === undefined
        ? { kind: 'public', address }
        : { kind: 'refused', address, reason: `the address is not public (${special})` }
    },
  }
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address
}
