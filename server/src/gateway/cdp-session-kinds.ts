import type { CdpCommand, CdpIncoming } from '../cdp/message.ts'
import { isInternalUrl, type TargetKind, type TargetKinds } from '../cdp/internal-pages.ts'

/** Kind of target that a session belongs to, or the browser as a whole. */
export type CdpSessionKind = TargetKind | 'browser'

interface TargetEventParams {
  readonly sessionId?: string
  readonly targetInfo?: { readonly targetId: string; readonly type: string; readonly url: string }
  /** In `Target.receivedMessageFromTarget`: a message of a session without `flatten`. */
  readonly message?: string
}

/**
 * Maximum number of commands of one client that wait until the kinds of their targets are known.
 */
const maxHeld = 2000

/**
 * Tracks the kind of target of each session of one client. The kind is determined when the session
 * is announced or its frame has loaded, so that each command costs only a lookup.
 */
export class CdpSessionKinds implements Disposable {
  readonly #watch: TargetKinds
  readonly #release: (commands: readonly CdpCommand[]) => void
  readonly #targets = new Map<string, string>()
  readonly #internal = new Set<string>()
  readonly #browsers = new Set<string>()
  readonly #held = new Map<string, CdpCommand[]>()
  readonly #stop: () => void
  #heldCount = 0

  /**
   * `release` is called with the held commands of a session, in order, once the kind of its target
   * is known.
   */
  constructor(watch: TargetKinds, release: (commands: readonly CdpCommand[]) => void) {
    this.#watch = watch
    this.#release = release
    this.#stop = watch.onChange((targetId, kind) => this.#setKind(targetId, kind))
  }

  /** Undefined if the session was not announced to this client. */
  kindOfSession(sessionId: string): CdpSessionKind | undefined {
    if (this.#internal.has(sessionId)) return 'internal'
    if (this.#held.has(sessionId)) return 'unknown'
    if (this.#browsers.has(sessionId)) return 'browser'
    return this.#targets.has(sessionId) ? 'web' : undefined
  }

  kindOfTarget(targetId: string): TargetKind {
    return this.#watch.kindOf(targetId)
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track({ method, params }: CdpIncoming): void {
    const { sessionId, targetInfo, message } = (params ?? {}) as TargetEventParams
    if (sessionId === undefined) return
    if (method === 'Target.detachedFromTarget') this.#forget(sessionId)
    else if (method === 'Target.attachedToTarget' && targetInfo !== undefined) this.#add(sessionId, targetInfo)
    // Child sessions of a session without `flatten` are announced in it.
    else if (method === 'Target.receivedMessageFromTarget' && message?.startsWith('{"method":"Target.') === true) {
      this.track(JSON.parse(message) as CdpIncoming)
    }
  }

  /**
   * Holds a command back if the kind of its target is not known yet, since a frame is announced
   * some milliseconds before its URL is known. Returns `held`, `full` if too many commands wait, or
   * `none` if it need not wait.
   */
  hold(command: CdpCommand): 'none' | 'held' | 'full' {
    if (this.#held.size === 0 || command.sessionId === undefined) return 'none'
    const queue = this.#held.get(command.sessionId)
    if (queue === undefined) return 'none'
    if (this.#heldCount >= maxHeld) return 'full'
    this.#heldCount += 1
    queue.push(command)
    return 'held'
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#held.clear()
  }

  #add(sessionId: string, { targetId, type, url }: NonNullable<TargetEventParams['targetInfo']>): void {
    this.#targets.set(sessionId, targetId)
    if (type === 'browser') this.#browsers.add(sessionId)
    const kind = isInternalUrl(url) ? 'internal' : this.#watch.kindOf(targetId)
    if (kind === 'internal') this.#internal.add(sessionId)
    else if (kind === 'unknown') this.#held.set(sessionId, [])
  }

  #setKind(target: string, kind: 'web' | 'internal'): void {
    for (const [sessionId, targetId] of this.#targets) {
      if (targetId !== target) continue
      if (kind === 'internal') this.#internal.add(sessionId)
      this.#releaseHeld(sessionId)
    }
  }

  #forget(sessionId: string): void {
    this.#targets.delete(sessionId)
    this.#internal.delete(sessionId)
    this.#browsers.delete(sessionId)
    // The commands are sent to a session that is gone and get an error response.
    this.#releaseHeld(sessionId)
  }

  #releaseHeld(sessionId: string): void {
    const commands = this.#held.get(sessionId)
    if (commands === undefined) return
    this.#held.delete(sessionId)
    this.#heldCount -= commands.length
    this.#release(commands)
  }
}
