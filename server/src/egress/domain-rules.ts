import type { AllowedDomains, BlockedDomains, SessionNetwork } from 'bowline/contract/session-network'
import { matchesDomain, parseDomainPattern, type DomainPattern } from 'bowline/kit/domain-pattern'
import { BowlineError } from 'bowline/kit/errors'
import type { HostPort } from './host-port.ts'
import { parseChromiumUrl } from '../kit/parse-chromium-url.ts'

/** Lists of domains of one session. */
export type DomainLists = Pick<SessionNetwork, 'allowedDomains' | 'blockedDomains'>

/** Name of the session option that refuses a target. */
export type RefusedBy = keyof DomainLists

/** Decides to which hosts the browser of one session may connect. */
export interface DomainRules {
  /** Returns which list refuses every connection to a target. */
  readonly refusalOf: (target: HostPort) => RefusedBy | undefined
  /**
   * Returns which list refuses an http(s) URL as the page of a tab. Undefined if no list has rules
   * for pages alone: then those for connections are enough.
   */
  readonly navigationRefusalOf: ((url: string) => RefusedBy | undefined) | undefined
}

/** Creates the rules of a session. Undefined if it has no lists. */
export function createDomainRules({ allowedDomains, blockedDomains }: DomainLists): DomainRules | undefined {
  if (allowedDomains === undefined && blockedDomains === undefined) return undefined
  const allowed = perUse(allowedDomains)
  const blocked = perUse(blockedDomains)
  // A page may load what belongs to its own host.
  const loadable = allowed.subresources && [...allowed.subresources, ...(allowed.navigation ?? [])]
  const judge = (target: HostPort, allow: Patterns, block: Patterns): RefusedBy | undefined => {
    if (block !== undefined && matchesAny(block, target)) return 'blockedDomains'
    return allow !== undefined && !matchesAny(allow, target) ? 'allowedDomains' : undefined
  }
  const hasOwnRules = (allowed.navigation ?? blocked.navigation) !== undefined
  return {
    refusalOf: (target) => judge(target, loadable, blocked.subresources),
    navigationRefusalOf: hasOwnRules
      ? (url) => {
          const target = targetOf(url)
          return target === undefined ? undefined : judge(target, allowed.navigation, blocked.navigation)
        }
      : undefined,
  }
}

/** A connection that a list of the session refuses. */
export class RefusedByDomains extends BowlineError {
  readonly explanation: string

  constructor({ host, port }: HostPort, option: RefusedBy) {
    const explanation = explainRefusal(option)
    super('EGRESS_REFUSED', `${host}:${port} is refused: ${explanation}`)
    this.explanation = explanation
  }
}

/** Explains why a list refuses a host. */
export function explainRefusal(option: RefusedBy): string {
  return option === 'allowedDomains'
    ? 'the host is not in `allowedDomains` of the session'
    : 'the host is in `blockedDomains` of the session'
}

type Patterns = readonly DomainPattern[] | undefined

/** `navigation` is undefined for a list that applies to all requests alike. */
function perUse(lists: AllowedDomains | BlockedDomains | undefined): {
  readonly navigation: Patterns
  readonly subresources: Patterns
} {
  if (lists === undefined) return { navigation: undefined, subresources: undefined }
  if (Array.isArray(lists)) return { navigation: undefined, subresources: parseAll(lists) }
  const { navigation, subresources } = lists as Exclude<AllowedDomains, readonly string[]>
  return { navigation: parseAll(navigation), subresources: subresources && parseAll(subresources) }
}

function parseAll(texts: readonly string[]): readonly DomainPattern[] {
  // The contract has checked their form.
  return texts.map((text) => parseDomainPattern(text)).filter((pattern) => pattern !== undefined)
}

function matchesAny(patterns: readonly DomainPattern[], target: HostPort): boolean {
  return patterns.some((pattern) => matchesDomain(pattern, target))
}

/** The host of an http(s) URL. Pages of other schemes come from the session itself. */
function targetOf(url: string): HostPort | undefined {
  const parsed = parseChromiumUrl(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined
  return { host: parsed.hostname, port: Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80)) }
}
