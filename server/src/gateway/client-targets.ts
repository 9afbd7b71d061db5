import type { CdpIncoming } from '../cdp/message.ts'

interface Attachment {
  readonly targetId: string
  /** The session that it was announced on. Undefined: the root. */
  readonly parent: string | undefined
}

/** The targets that one client was told of. */
export class ClientTargets {
  /** By session. Children come after their parents. */
  readonly #attached = new Map<string, Attachment>()
  /** Announced by `Target.setDiscoverTargets`, with the session that asked for it. */
  readonly #discovered = new Map<string, string | undefined>()
  readonly #browserTargetId: string
  readonly #hidden = new Set<string>()

  /** `browserTargetId`: the target that stands for the client's own connection. */
  constructor(browserTargetId: string) {
    this.#browserTargetId = browserTargetId
  }

  /**
   * Whether an event is not for this client: Chromium announces a target of type `browser` for each connection, those of
   * other clients and of the server itself among them, and libraries take the first for their own.
   */
  withholds({ method, params = {} }: CdpIncoming): boolean {
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

  /** Takes an event of the Target domain on its way to the client. */
  follow({ method, params = {}, sessionId: parent }: CdpIncoming): void {
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

  /** The events by which a browser says that all targets are gone, and forgets them. */
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
