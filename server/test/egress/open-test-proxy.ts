import { BowlineError } from '../../../src/kit/errors.ts'
import type { Connector } from '../../src/egress/connector.ts'
import { createOwnPorts } from '../../src/egress/own-ports.ts'
import { openEgressProxy } from '../../src/egress/proxy.ts'

const silent = { debug: () => {}, warn: () => {} }

/** Opens an egress proxy whose connections are made by `connect`, directly to their targets. */
export function openTestProxy(connect: Connector['connect']): ReturnType<typeof openEgressProxy> {
  return openEgressProxy({
    connector: {
      connect,
      connectHttp: async (...request) => ({ socket: await connect(...request) }),
      isDirect: () => true,
      assertPermitted: async () => undefined,
      usesUpstream: async () => false,
      openSessionProxy: async () => {
        throw new Error('not used')
      },
    },
    ownPorts: createOwnPorts(),
    findOwner: undefined,
    log: silent,
  })
}

/** Creates the failure that a host is named after, such as `err-timed-out.test`. */
export function failureNamed(host: string): BowlineError {
  const netError = host.split('.')[0]?.replaceAll('-', '_').toUpperCase()
  return netError === 'ERR_BLOCKED_BY_ADMINISTRATOR'
    ? new BowlineError('EGRESS_REFUSED', 'refused')
    : new BowlineError('EGRESS_FAILED', 'failed', { details: { netError } })
}
