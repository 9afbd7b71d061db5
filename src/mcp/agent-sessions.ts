import { randomBytes } from 'node:crypto'
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AgentBrowser } from './browser/agent-browser.ts'

/** A browser with the id by which its client refers to it. */
export interface AgentSession {
  readonly id: string
  /** Owner of the session. Other callers cannot use it. */
  readonly owner: string
  readonly browser: AgentBrowser
  /** The connection of a client with an MCP session. */
  readonly transport?: WebStandardStreamableHTTPServerTransport | undefined
}

/**
 * The sessions of all clients. Those that were not used for an hour are forgotten; their browsers
 * have ended long before, when they were idle. An owner can have 200.
 */
export class AgentSessions {
  /** In the order of their last use. */
  readonly #byId = new Map<string, AgentSession & { usedAtMs: number }>()

  get size(): number {
    return this.#byId.size
  }

  /** Creates an unguessable id. */
  createId(prefix = ''): string {
    return `${prefix}${randomBytes(18).toString('base64url')}`
  }

  /** Adds a session. If its owner has too many, the one that was unused for the longest ends. */
  add(session: AgentSession): void {
    this.#forgetUnused()
    const own = [...this.#byId.values()].filter(({ owner }) => owner === session.owner)
    if (own.length >= maxPerOwner && own[0] !== undefined) void this.end(own[0].owner, own[0].id)
    this.#byId.set(session.id, { ...session, usedAtMs: Date.now() })
  }

  /** Returns a session of the owner. */
  find(owner: string, id: string): AgentSession | undefined {
    const session = this.#byId.get(id)
    if (session === undefined || session.owner !== owner) return undefined
    this.#byId.delete(id)
    this.#byId.set(id, { ...session, usedAtMs: Date.now() })
    return session
  }

  /**
   * Ends a session of the owner, with its browser. Never rejects: a browser that is left ends when
   * it is idle.
   */
  async end(owner: string, id: string): Promise<void> {
    const session = this.find(owner, id)
    if (session === undefined) return
    this.#byId.delete(id)
    await Promise.allSettled([session.browser[Symbol.asyncDispose](), session.transport?.close()])
  }

  /** Disconnects from all browsers, which are about to be ended by the server. */
  async disconnectAll(): Promise<void> {
    const all = [...this.#byId.values()]
    this.#byId.clear()
    await Promise.allSettled(
      all.map(async ({ browser, transport }) => Promise.allSettled([browser.disconnect(), transport?.close()])),
    )
  }

  #forgetUnused(): void {
    for (const { owner, id, usedAtMs } of this.#byId.values()) {
      if (Date.now() - usedAtMs > unusedLimitMs) void this.end(owner, id)
    }
  }
}

const maxPerOwner = 200
const unusedLimitMs = 3_600_000
