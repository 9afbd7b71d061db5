import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { specialRangeOf } from './special-ranges.ts'

/** Ports of the server itself. Pages may never connect to them, even if `--allow` permits it. */
export interface OwnPorts {
  /**
   * Blocks a port on every address of this machine, and on the given `addresses` of others.
   * Disposing unblocks it.
   */
  readonly block: (port: number, addresses?: readonly string[]) => Disposable
  /** Whether this address and port are blocked. */
  readonly isBlocked: (address: string, port: number) => boolean
}

/** Creates an empty list. */
export function createOwnPorts(): OwnPorts {
  const blocked = new Map<number, Set<readonly string[]>>()
  return {
    block: (port, addresses = []) => {
      const entry = [...addresses]
      const entries = blocked.get(port) ?? new Set()
      blocked.set(port, entries.add(entry))
      return {
        [Symbol.dispose]: () => {
          entries.delete(entry)
          if (entries.size === 0 && blocked.get(port) === entries) blocked.delete(port)
        },
      }
    },
    isBlocked: (address, port) => {
      const entries = blocked.get(port)
      if (entries === undefined) return false
      return isOfThisMachine(address) || [...entries].some((addresses) => addresses.includes(address))
    },
  }
}

function isOfThisMachine(address: string): boolean {
  const special = specialRangeOf(ipaddr.parse(address)) ?? ''
  if (special.startsWith('loopback') || special.startsWith('this host')) return true
  // Interfaces come and go, so they are listed each time. Only blocked ports get here.
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return own.some((each) => ipaddr.process(each.address).toString() === address)
}
