import type { CdpCommand, CdpIncoming } from '../cdp/message.ts'
import { isInternalUrl, type TargetKind, type TargetWatch } from '../cdp/target-watch.ts'

/** What a session belongs to: a target of some kind, or the browser as a whole. */
export type SessionKind = TargetKind | 'browser'

interface TargetEventParams {
  readonly sessionId?: string
  readonly targetInfo?: { readonly targetId: string; readonly type: string; readonly url: string }
  /** Of `Target.receivedMessageFromTarget`: what a session without `flatten` says. */
  readonly message?: string
}

/** Commands of one client that may wait for targets to be known. */
const maxHeld = 2000

/**
 * Knows what kind of target each session of one client belongs to. This is decided when the session is announced, or
 * when its frame has loaded, so that a command costs no more than a look-up.
 */
export class SessionKinds implements Disposable {
  readonly #watch: TargetWatch
  readonly #release: (commands: readonly CdpCommand[]) => void
  readonly #targets = new Map<string, string>()
  readonly #internal = new Set<string>()
  readonly #browsers = new Set<string>()
  readonly #held = new Map<string, CdpCommand[]>()
  readonly #stop: () => void
  #heldCount = 0

  /** `release` is called with the commands that had to wait, in order, when their target is known. */
  constructor(watch: TargetWatch, release: (commands: readonly CdpCommand[]) => void) {
    this.#watch = watch
    this.#release = release
    this.#stop = watch.onChange((targetId, kind) => this.#decide(targetId, kind))
  }

  /** Undefined when the session was not announced to this client. */
  kindOfSession(sessionId: string): SessionKind | undefined {
    if (this.#internal.has(sessionId)) return 'internal'
    if (this.#held.has(sessionId)) return 'unknown'
    if (this.#browsers.has(sessionId)) return 'browser'
    return this.#targets.has(sessionId) ? 'web' : undefined
  }

  kindOfTarget(targetId: string): TargetKind {
    return this.#watch.kindOf(targetId)
  }

  /** Takes an event of the Target domain on its way to the client. */
  follow({ method, params }: CdpIncoming): void {
    const { sessionId, targetInfo, message } = (params ?? {}) as TargetEventParams
    if (sessionId === undefined) return
    if (method === 'Target.detachedFromTarget') this.#forget(sessionId)
    else if (method === 'Target.attachedToTarget' && targetInfo !== undefined) this.#add(sessionId, targetInfo)
    // Sessions below such a session are announced in it.
    else if (method === 'Target.receivedMessageFromTarget' && message?.startsWith('{"method":"Target.') === true) {
      this.follow(JSON.parse(message) as CdpIncoming)
    }
  }

  /**
   * Keeps a command back whose target is not known yet: 'held', or 'full' when too many wait. 'none': it need not wait.
   * A frame announces itself a few milliseconds before its address is known.
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

  #decide(target: string, kind: 'web' | 'internal'): void {
    for (const [sessionId, targetId] of this.#targets) {
      if (targetId !== target) continue
      if (kind === 'internal') this.#internal.add(sessionId)
      this.#free(sessionId)
    }
  }

  #forget(sessionId: string): void {
    this.#targets.delete(sessionId)
    this.#internal.delete(sessionId)
    this.#browsers.delete(sessionId)
    // They go to a session that is gone and are told so.
    this.#free(sessionId)
  }

  #free(sessionId: string): void {
    const commands = this.#held.get(sessionId)
    if (commands === undefined) return
    this.#held.delete(sessionId)
    this.#heldCount -= commands.length
    this.#release(commands)
  }
}
