import { z } from 'zod'
import type { KeyMcp } from 'bowline/contract/keys'
import type { McpOptions } from 'bowline/mcp'
import { matchesDomain, parseDomainPattern, type DomainPattern } from 'bowline/kit/domain-pattern'
import { BowlineError } from 'bowline/kit/errors'
import { invalidRequest } from './errors.ts'

/** Settings of the tools of `/mcp`, for all callers. */
export type McpSettings = Pick<McpOptions, 'readOnly' | 'allowedDomains'> & { readonly maxTtlSeconds: number }

const flag = z.enum(['', 'true', 'false']).transform((text) => text !== 'false')

const domains = z
  .string()
  .transform((text) => text.split(',').map((domain) => domain.trim()))
  .pipe(z.array(z.string().refine((text) => parseDomainPattern(text) !== undefined, 'is not a host name')).min(1))

/** Query of `/mcp`, with which a configured client restricts its agents. */
const mcpQuery = z.object({
  readOnly: flag.optional(),
  allowedDomains: domains.optional(),
  maxTokens: z.coerce.number().int().min(100).max(50_000).optional(),
})

const defaultTtlSeconds = 1800

/**
 * Returns the options of an MCP session. The key of the caller restricts the settings of the
 * server, and the query of the URL restricts both. Throws BAD_REQUEST for an invalid query, and for
 * restrictions that leave no host.
 */
export function mcpOptionsOf(query: unknown, settings: McpSettings, key: KeyMcp = {}): McpOptions {
  const { success, data, error } = mcpQuery.safeParse(query)
  if (!success) throw invalidRequest(error, 'query')
  const lists = [settings.allowedDomains, key.allowedDomains, data.allowedDomains].filter((list) => list !== undefined)
  return {
    readOnly: settings.readOnly === true || key.tools === 'read' || data.readOnly === true,
    allowedDomains: lists.length === 0 ? undefined : lists.reduce(commonDomains),
    maxTokens: data.maxTokens,
    session: { ttl: Math.min(defaultTtlSeconds, settings.maxTtlSeconds) },
  }
}

function commonDomains(left: readonly string[], right: readonly string[]): readonly string[] {
  const common = left.flatMap((one) => right.flatMap((other) => commonDomain(one, other) ?? []))
  if (common.length > 0) return [...new Set(common)]
  throw new BowlineError('BAD_REQUEST', `\`allowedDomains\`: ${right.join(', ')} is outside ${left.join(', ')}`, {
    hint: 'The server and the API key restrict the hosts. The URL can only restrict them further.',
  })
}

/** Returns the pattern of the hosts and ports that match both patterns, if there are any. */
function commonDomain(left: string, right: string): string | undefined {
  const [one, other] = [parseDomainPattern(left), parseDomainPattern(right)]
  if (one === undefined || other === undefined) return undefined
  if (one.port !== undefined && other.port !== undefined && one.port !== other.port) return undefined
  const port = one.port ?? other.port
  const host = covers(one, other) ? other : covers(other, one) ? one : undefined
  if (host === undefined) return undefined
  const name = host.host.includes(':') ? `[${host.host}]` : host.host
  return `${host.isWildcard ? '*.' : ''}${name}${port === undefined ? '' : `:${port}`}`
}

/** Whether a pattern matches all hosts of another one, on any port. */
function covers(wide: DomainPattern, narrow: DomainPattern): boolean {
  if (narrow.isWildcard) return wide.isWildcard && (wide.host === narrow.host || narrow.host.endsWith(`.${wide.host}`))
  return matchesDomain({ ...wide, port: undefined }, { host: narrow.host, port: 0 })
}
