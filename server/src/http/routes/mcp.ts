import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { KeyRow } from '../../teams/key-queries.ts'
import type { Authenticator } from '../auth.ts'
import type { AccessOf } from '../authorize.ts'
import { tagOfNode, type Peer, type Peers } from '../../cluster/peers.ts'
import { relayRequest } from '../../cluster/relay.ts'
import type { McpHost } from '../../mcp/mcp-host.ts'
import { mcpBodyBytes } from '../body-sizes.ts'
import { mcpOptionsOf, type McpSettings } from '../mcp-options.ts'
import { drainingError } from '../../sessions/draining-error.ts'
import { registerServerRoute } from '../register-route.ts'
import { isRelayed } from '../session-node.ts'

/** Dependencies of the MCP routes. */
export interface McpRouteDeps {
  readonly accessOf: AccessOf
  /** Returns the URL under which a client reached the server, without trailing slash. */
  readonly baseUrlOf: (request: FastifyRequest) => string
  readonly host: Pick<McpHost, 'handle'>
  readonly nodeId: string
  readonly peers: Pick<Peers, 'findByTag'>
  readonly settings: McpSettings
  /** Aborts when the server starts to drain. */
  readonly draining: AbortSignal
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  /** Returns the URL of the plain HTTP listener of an HTTPS server. */
  readonly localUrl: () => string | undefined
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
    const key = accessOf(request, 'key')
    const caller = {
      owner: ownerOf(key),
      apiKey: request.headers.authorization?.split(' ')[1] ?? '',
      idPrefix: `${tagOfNode(nodeId)}.`,
      localUrl: deps.localUrl() ?? localUrlOf(request),
      publicUrl,
      options: mcpOptionsOf(request.query, settings, key.mcp),
    }
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort(new BowlineError('ABORTED', 'The client disconnected')))
    closeWhenRevoked(request, reply, deps)
    if (request.method === 'GET') closeWhenDraining(reply, deps)
    const { method, body, url } = request
    const headers = headersOf(request)
    const response = await host.handle(
      key.teamId,
      { url: new URL(url, publicUrl).href, method, headers, body: body ?? undefined, caller },
      gone.signal,
    )
    return reply.send(response)
  }
  registerServerRoute(app, 'mcpCall', { handler, bodyLimit: mcpBodyBytes })
  registerServerRoute(app, 'mcpStream', { handler })
  registerServerRoute(app, 'mcpEnd', { handler })
}

/**
 * Returns the owner of MCP sessions. The sessions of a restricted key are its own: others of the
 * team can have fewer restrictions.
 */
function ownerOf({ id, teamId, mcp }: KeyRow): string {
  return mcp === undefined ? teamId : `${teamId} ${id}`
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

/** Milliseconds between two checks of the key of an open response. */
const checkKeyMs = 1000

/** Closes the connection once its key is revoked: streams stay open, and calls can take minutes. */
function closeWhenRevoked(
  { headers }: FastifyRequest,
  { raw }: FastifyReply,
  { authenticator }: Pick<McpRouteDeps, 'authenticator'>,
): void {
  const checking = setInterval(() => {
    authenticator.authenticate(headers.authorization, undefined).catch((error: unknown) => {
      // Other errors, such as those of the database, tell nothing about the key.
      if (isBowlineError(error) && error.code === 'UNAUTHORIZED') raw.destroy()
    })
  }, checkKeyMs).unref()
  raw.once('close', () => clearInterval(checking))
}

/** Ends the stream of messages to a client once the server drains, which would wait for its end. */
function closeWhenDraining({ raw }: FastifyReply, { draining }: Pick<McpRouteDeps, 'draining'>): void {
  if (draining.aborted) throw drainingError()
  const close = (): void => void (raw.headersSent ? raw.end() : raw.destroy())
  draining.addEventListener('abort', close, { once: true })
  raw.once('close', () => draining.removeEventListener('abort', close))
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
