import { isIP } from 'node:net'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { AddressPolicy } from './address-policy.ts'
import type { HostPort } from './host-port.ts'
import type { NetError } from './net-errors.ts'
import type { Resolve } from './resolve.ts'
import type { Upstream } from './upstream.ts'

/** A target with the addresses that may be connected to. */
export interface CheckedTarget extends HostPort {
  /** Never empty, except for a name that only an upstream proxy can resolve. */
  readonly addresses: readonly string[]
  /** `allowed`: permitted by `--allow`, so it is local and no upstream proxy is used. */
  readonly kind: 'public' | 'allowed' | 'unresolved'
}

/** Dependencies of the checks. */
export interface CheckDeps {
  readonly policy: AddressPolicy
  readonly resolve: Resolve
}

/**
 * Resolves a target once and checks every address. Throws EGRESS_REFUSED if the policy permits none
 * of them, EGRESS_FAILED if the name does not resolve.
 */
export async function checkTarget(
  { policy, resolve }: CheckDeps,
  target: HostPort,
  signal?: AbortSignal,
): Promise<CheckedTarget> {
  const verdicts = (await addressesOf(resolve, target, signal)).map((address) => policy.judge(address, target))
  const kind = verdicts.some((verdict) => verdict.kind === 'allowed') ? 'allowed' : 'public'
  const addresses = verdicts.filter((verdict) => verdict.kind !== 'refused').map(({ address }) => address)
  if (addresses.length > 0) return { ...target, addresses, kind }
  const refused = verdicts.find((verdict) => verdict.kind === 'refused')
  // The resolved address is not revealed: otherwise pages could query the internal name server.
  const isName = refused !== undefined && isIP(target.host) === 0 && refused.hint === undefined
  const reason = isName ? 'the address is not public' : (refused?.reason ?? 'the name has no address')
  throw new BowlineError('EGRESS_REFUSED', `${target.host}:${target.port} is refused: ${reason}`, {
    hint: refused?.hint,
  })
}

/**
 * Checks a target like `checkTarget`. If the name does not resolve here and an upstream proxy is
 * configured, returns it as `unresolved`, for the upstream to resolve. An upstream resolves all
 * names itself and may see other addresses than those checked here.
 */
export async function checkOrLeaveUnresolved(
  deps: CheckDeps,
  target: HostPort,
  hops: readonly (Upstream | undefined)[],
  signal: AbortSignal,
): Promise<CheckedTarget> {
  try {
    return await checkTarget(deps, target, signal)
  } catch (error) {
    const isUnknownHere = isBowlineError(error) && error.code === 'EGRESS_FAILED'
    if (!isUnknownHere || !hops.some((hop) => hop !== undefined)) throw error
    return { ...target, addresses: [], kind: 'unresolved' }
  }
}

async function addressesOf(resolve: Resolve, target: HostPort, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    return await resolve(target.host, signal)
  } catch (cause) {
    signal?.throwIfAborted()
    throw new BowlineError('EGRESS_FAILED', `${target.host} does not resolve`, {
      cause,
      details: { netError: 'ERR_NAME_NOT_RESOLVED' satisfies NetError },
    })
  }
}
