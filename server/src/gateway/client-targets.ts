import type { CdpEvent } from '../cdp/protocol.ts'

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
  readonly #ownTargetId: string
  readonly #hidden = new Set<string>()

  /** `ownTargetId`: target of the client's own session. */
  constructor(ownTargetId: string) {
    this.#ownTargetId = ownTargetId
  }

  /**
   * Whether to hide an event from this client. Chromium announces a target of type `browser` for
   * each connection, including those of other clients and of the server, and libraries assume that
   * the first one is theirs.
   */
  shouldHide({ method, params }: CdpEvent): boolean {
    if (method === 'Target.targetDestroyed') return this.#hidden.has(params.targetId)
    if (method !== 'Target.targetCreated' && method !== 'Target.targetInfoChanged') return false
    const { type, targetId } = params.targetInfo
    if (type !== 'browser' || targetId === this.#ownTargetId) return false
    this.#hidden.add(targetId)
    return true
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track({ method, params, sessionId: parent }: CdpEvent): void {
    if (method === 'Target.attachedToTarget') {
      this.#attached.set(params.sessionId, { targetId: params.targetInfo.targetId, parent })
    } else if (method === 'Target.detachedFromTarget') this.#attached.delete(params.sessionId)
    else if (method === 'Target.targetCreated') this.#discovered.set(params.targetInfo.targetId, parent)
    else if (method === 'Target.targetDestroyed') this.#discovered.delete(params.targetId)
  }

  /** Returns the sessions of a target, `undefined` for the client's own one. */
  sessionsOf(targetId: string): readonly (string | undefined)[] {
    const announced = [...this.#attached].filter(([, each]) => each.targetId === targetId).map(([id]) => id)
    return targetId === this.#ownTargetId ? [undefined, ...announced] : announced
  }

  /** Returns the events of a browser whose targets are all gone, and removes the targets. */
  destroyAll(): readonly CdpEvent[] {
    const detached = [...this.#attached]
      .toReversed()
      .map(([cdpSessionId, { targetId, parent }]) =>
        inSession(parent, { method: 'Target.detachedFromTarget', params: { sessionId: cdpSessionId, targetId } }),
      )
    const destroyed = [...this.#discovered].map(([targetId, parent]) =>
      inSession(parent, { method: 'Target.targetDestroyed', params: { targetId } }),
    )
    this.#attached.clear()
    this.#discovered.clear()
    return [...detached, ...destroyed]
  }
}

function inSession(cdpSessionId: string | undefined, event: CdpEvent): CdpEvent {
  return cdpSessionId === undefined ? event : { ...event, sessionId: cdpSessionId }
}
