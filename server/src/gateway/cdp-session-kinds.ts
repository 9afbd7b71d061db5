import type { CdpCommand } from '../cdp/message.ts'
import type { TargetKind, TargetKinds } from '../cdp/internal-pages.ts'
import type { CdpEvent, Protocol } from '../cdp/protocol.ts'
import { HeldCommands } from './held-commands.ts'

/** Kind of target that a session belongs to, or the browser as a whole. */
export type CdpSessionKind = TargetKind | 'browser'

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
  readonly #held: HeldCommands
  readonly #stop: () => void

  /**
   * `release` is called with the held commands of a session, in order, once the kind of its target
   * is known. `held` has a queue for each session of unknown kind, named by its id.
   */
  constructor(watch: TargetKinds, release: (commands: readonly CdpCommand[]) => void, held = new HeldCommands()) {
    this.#watch = watch
    this.#release = release
    this.#held = held
    this.#stop = watch.onChange((targetId, kind) => this.#setKind(targetId, kind))
  }

  /** Undefined if the session was not announced to this client. */
  kindOfSession(cdpSessionId: string): CdpSessionKind | undefined {
    if (this.#internal.has(cdpSessionId)) return 'internal'
    if (this.#held.has(cdpSessionId)) return 'unknown'
    if (this.#browsers.has(cdpSessionId)) return 'browser'
    return this.#targets.has(cdpSessionId) ? 'web' : undefined
  }

  /** Id of the target of a session. Undefined if it was not announced to this client. */
  targetOf(cdpSessionId: string): string | undefined {
    return this.#targets.get(cdpSessionId)
  }

  kindOfTarget(targetId: string): TargetKind {
    return this.#watch.kindOf(targetId)
  }

  /** Processes an event of the Target domain that is sent to the client. */
  track({ method, params }: CdpEvent): void {
    if (method === 'Target.detachedFromTarget') this.#forget(params.sessionId)
    else if (method === 'Target.attachedToTarget') this.#add(params.sessionId, params.targetInfo)
    // Child sessions of a session without `flatten` are announced in it.
    else if (method === 'Target.receivedMessageFromTarget' && params.message.startsWith('{"method":"Target.')) {
      this.track(JSON.parse(params.message) as CdpEvent)
    }
  }

  /**
   * Holds a command back if the kind of its target is not known yet, since a frame is announced
   * some milliseconds before its URL is known. `bytes`: size of its message. Returns `held`, `full`
   * if too many commands wait, or `none` if it does not have to wait.
   */
  hold(command: CdpCommand, bytes: number): 'none' | 'held' | 'full' {
    if (this.#held.isEmpty || command.sessionId === undefined) return 'none'
    return this.#held.hold(command.sessionId, command, bytes)
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#held.clear()
  }

  #add(cdpSessionId: string, { targetId, type, url }: Protocol.Target.TargetInfo): void {
    this.#targets.set(cdpSessionId, targetId)
    if (type === 'browser') this.#browsers.add(cdpSessionId)
    const kind = this.#watch.isInternalUrl(url) ? 'internal' : this.#watch.kindOf(targetId)
    if (kind === 'internal') this.#internal.add(cdpSessionId)
    else if (kind === 'unknown') this.#held.open(cdpSessionId)
  }

  #setKind(target: string, kind: 'web' | 'internal'): void {
    for (const [cdpSessionId, targetId] of this.#targets) {
      if (targetId !== target) continue
      if (kind === 'internal') this.#internal.add(cdpSessionId)
      this.#releaseHeld(cdpSessionId)
    }
  }

  #forget(cdpSessionId: string): void {
    this.#targets.delete(cdpSessionId)
    this.#internal.delete(cdpSessionId)
    this.#browsers.delete(cdpSessionId)
    // The commands are sent to a session that is gone and get an error response.
    this.#releaseHeld(cdpSessionId)
  }

  #releaseHeld(cdpSessionId: string): void {
    if (this.#held.has(cdpSessionId)) this.#release(this.#held.take(cdpSessionId))
  }
}
