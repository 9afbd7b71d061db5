import type { CdpIncoming } from '../cdp/message.ts'

interface Attachment {
  readonly targetId: string
  /** The session the target was announced in. Undefined: the browser-level session. */
  readonly parent: string | undefined
}

/** Tracks the targets announced to one client. */
export class ClientTargets {
  /** By session id. Children come after their parents. */
  readonly #attached = new Map<string, Attachment>()
  /** Targets announced by `Target.setDiscoverTargets`, with the session that enabled it. */
  readonly #discovered = new Map<string, string | undefined>()
  readonly #browserTargetId: string
  readonly #hidden = new Set<string>()

  /** `browserTargetId`: target of the client's own browser-level session. */
  constructor(browserTargetId: string) {
    this.#browserTargetId = browserTargetId
  }

  /**
   * Whether to hide an event from this client. Chromium announces a target of type `browser` for
   * each connection, including those of other clients and of the server, and libraries take the
   * first for their own.
   */
  shouldHide({ method, params = {} }: CdpIncoming): boolean {
    const { targetId = '', targetInfo } = params as {
      targetId?: string
      targetInfo?: { type: string; targetId: string }
    }
    if (method === 'Target.targetDestroyed') return this.#hidden.has(targetId)
    const isAnnouncement = method === 'Target.targetCreated' || method === 'Target.targetInfoChanged'
    if (!isAnnouncement || targetInfo?.type !== 'browser' || targetInfo.targetId === this.#browserTargetId) return false
    this.#hidden.add(targetInfo.targetId)
    return true
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track({ method, params = {}, sessionId: parent }: CdpIncoming): void {
    const { sessionId, targetId, targetInfo } = params as {
      sessionId?: string
      targetId?: string
      targetInfo?: { targetId: string }
    }
    if (method === 'Target.attachedToTarget' && sessionId !== undefined && targetInfo !== undefined) {
      this.#attached.set(sessionId, { targetId: targetInfo.targetId, parent })
    } else if (method === 'Target.detachedFromTarget' && sessionId !== undefined) {
      this.#attached.delete(sessionId)
    } else if (method === 'Target.targetCreated' && targetInfo !== undefined) {
      this.#discovered.set(targetInfo.targetId, parent)
    } else if (method === 'Target.targetDestroyed' && targetId !== undefined) {
      this.#discovered.delete(targetId)
    }
  }

  /** Returns the events of a browser whose targets are all gone, and forgets the targets. */
  destroyAll(): readonly CdpIncoming[] {
    const detached = [...this.#attached]
      .toReversed()
      .map(([sessionId, { targetId, parent }]) => eventOf('Target.detachedFromTarget', { sessionId, targetId }, parent))
    const destroyed = [...this.#discovered].map(([targetId, session]) =>
      eventOf('Target.targetDestroyed', { targetId }, session),
    )
    this.#attached.clear()
    this.#discovered.clear()
    return [...detached, ...destroyed]
  }
}

function eventOf(method: string, params: CdpIncoming['params'] & object, sessionId: string | undefined): CdpIncoming {
  return sessionId === undefined ? { method, params } : { method, params, sessionId }
}
