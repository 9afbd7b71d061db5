import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { McpOptions } from 'bowline/mcp'
import { parseDomainPattern } from 'bowline/kit/domain-pattern'
import { BowlineError } from 'bowline/kit/errors'
import type { AccessOf } from '../authorize.ts'
import { tagOfNode, type Peer, type Peers } from '../../cluster/peers.ts'
import { relayRequest } from '../../cluster/relay.ts'
import type { McpHost } from '../../mcp/mcp-host.ts'
import { mcpBodyBytes } from '../body-sizes.ts'
import { invalidRequest } from '../errors.ts'
import { registerServerRoute } from '../register-route.ts'
import { isRelayed } from '../session-node.ts'

/** Settings of the tools, for all callers. */
export type McpSettings = Pick<McpOptions, 'readOnly' | 'allowedDomains'> & { readonly maxTtlSeconds: number }

/** Dependencies of the MCP routes. */
export interface McpRouteDeps {
  readonly accessOf: AccessOf
  /** Returns the URL under which a client reached the server, without trailing slash. */
  readonly baseUrlOf: (request: FastifyRequest) => string
  readonly host: Pick<McpHost, 'handle'>
  readonly nodeId: string
  readonly peers: Pick<Peers, 'findByTag'>
  readonly settings: McpSettings
}

/**
 * Registers `/mcp`: tools for browser sessions, scraping and search, over Streamable HTTP. Tools
 * call the API of this server with the key of the caller.
 */
export function registerMcp(app: FastifyInstance, deps: McpRouteDeps): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { accessOf, baseUrlOf, host, nodeId, settings } = deps
    const publicUrl = baseUrlOf(request)
    assertSameOrigin(request, publicUrl)
    const peer = await peerOf(request, deps)
    if (peer !== undefined) return relay(peer, request, reply)
    const caller = {
      owner: accessOf(request, 'key').teamId,
      apiKey: request.headers.authorization?.split(' ')[1] ?? '',
      idPrefix: `${tagOfNode(nodeId)}.`,
      localUrl: localUrlOf(request),
      publicUrl,
      options: optionsOf(request, settings),
    }
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { method, body, url } = request
    const headers = headersOf(request)
    const response = await host.handle(
      { url: new URL(url, publicUrl).href, method, headers, body: body ?? undefined, caller },
      gone.signal,
    )
    return reply.send(response)
  }
  registerServerRoute(app, 'mcpCall', { handler, bodyLimit: mcpBodyBytes })
  registerServerRoute(app, 'mcpStream', { handler })
  registerServerRoute(app, 'mcpEnd', { handler })
}

const flag = z.enum(['', 'true', 'false']).transform((text) => text !== 'false')

const domains = z
  .string()
  .transform((text) => text.split(',').map((domain) => domain.trim()))
  .pipe(z.array(z.string().refine((text) => parseDomainPattern(text) !== undefined, 'is not a host name')).min(1))

/** Query of `/mcp`, with which a configured client restricts its agents. */
const query = z.object({
  readOnly: flag.optional(),
  allowedDomains: domains.optional(),
  maxTokens: z.coerce.number().int().min(100).max(50_000).optional(),
})

const defaultTtlSeconds = 1800

/** Merges the settings of the server with the query, which can only restrict them. */
function optionsOf(request: FastifyRequest, settings: McpSettings): McpOptions {
  const { success, data, error } = query.safeParse(request.query)
  if (!success) throw invalidRequest(error, 'query')
  if (data.allowedDomains !== undefined && settings.allowedDomains !== undefined) {
    throw new BowlineError('BAD_REQUEST', '`allowedDomains` is set by the server, and cannot be changed', {
      hint: 'Omit it from the URL.',
    })
  }
  return {
    readOnly: settings.readOnly === true || data.readOnly === true,
    allowedDomains: settings.allowedDomains ?? data.allowedDomains,
    maxTokens: data.maxTokens,
    session: { ttl: Math.min(defaultTtlSeconds, settings.maxTtlSeconds) },
  }
}

/**
 * Returns the node that has the MCP session or the handle of a request. Undefined if it is this
 * one, or the request has none.
 */
async function peerOf(request: FastifyRequest, { peers }: Pick<McpRouteDeps, 'peers'>): Promise<Peer | undefined> {
  if (isRelayed(request.raw)) return undefined
  const id = request.headers['mcp-session-id'] ?? handleOf(request.body)
  const [, tag] = /^([\w-]+)\./.exec(String(id ?? '')) ?? []
  return tag === undefined ? undefined : peers.findByTag(tag)
}

const callWithHandle = z.object({ params: z.object({ arguments: z.object({ session: z.string() }) }) })

function handleOf(body: unknown): string | undefined {
  return callWithHandle.safeParse(body).data?.params.arguments.session
}

async function relay(peer: Peer, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = request.body === undefined || request.body === null ? '' : JSON.stringify(request.body)
  await relayRequest(peer, request.raw, reply.raw, () => void reply.hijack(), { body })
  return reply
}

/** Throws FORBIDDEN for requests of web pages of another origin, as MCP requires. */
function assertSameOrigin({ headers, host }: FastifyRequest, publicUrl: string): void {
  const { origin } = headers
  if (origin === undefined) return
  const allowed = [URL.parse(publicUrl)?.host, host]
  if (allowed.includes(URL.parse(origin)?.host)) return
  throw new BowlineError('FORBIDDEN', `Requests of pages of ${origin} are refused`, {
    hint: 'Call /mcp from a program, or from a page of this server.',
  })
}

/** Returns the URL of this server at the address to which the request was sent. */
function localUrlOf({ raw: { socket } }: FastifyRequest): string {
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:/, '')
  return `http://${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`
}

function headersOf({ headers }: FastifyRequest): readonly (readonly [string, string])[] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [value].flat().map((each) => [name, each]),
  )
}
