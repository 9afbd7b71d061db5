import ipaddr from 'ipaddr.js'
import { parseAllowEntry } from './allow-list.ts'
import type { HostPort } from './host-port.ts'
import type { OwnPorts } from './own-ports.ts'
import { specialRangeOf } from './special-ranges.ts'

/**
 * Verdict on connecting to one address. `allowed`: permitted by `--allow`. `public`: permitted by
 * default.
 */
export type AddressVerdict =
  | { readonly kind: 'public' | 'allowed'; readonly address: string }
  | { readonly kind: 'refused'; readonly address: string; readonly reason: string; readonly hint?: string }

/** Decides which resolved addresses may be connected to. */
export interface AddressPolicy {
  /** Checks one resolved address of a target. Connect to the address in the verdict. */
  readonly judge: (address: string, target: HostPort) => AddressVerdict
}

/** Options of `createAddressPolicy`. */
export interface AddressPolicyOptions {
  /**
   * Entries in the format of `parseAllowEntry`. Default: none, so only public unicast addresses.
   */
  readonly allow?: readonly string[] | undefined
  /** Ports that are refused even in an allowed range. */
  readonly ownPorts: OwnPorts
}

/** Creates the policy. Throws CONFIG_INVALID if an entry is malformed. */
export function createAddressPolicy({ allow = [], ownPorts }: AddressPolicyOptions): AddressPolicy {
  const entries = allow.map((entry) => parseAllowEntry(entry))
  return {
    judge: (given, target) => {
      const parsed = ipaddr.process(withoutZone(given))
      const address = parsed.toString()
      if (ownPorts.isBlocked(address, target.port)) {
        return {
          kind: 'refused',
          address,
          reason: `port ${target.port} on this address belongs to the server itself`,
          hint: '`--allow` does not open ports of the server itself.',
        }
      }
      if (entries.some((isAllowed) => isAllowed(parsed, target))) return { kind: 'allowed', address }
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
