import type { CdpCommand } from '../cdp/message.ts'

/** Maximum number of commands of one client that are held. */
const maxHeld = 2000

/** Maximum total size of the held commands of a session, in bytes. */
const maxHeldBytes = 64 * 1024 * 1024

/** The limits, for messages. */
export const heldLimits = 'More than 2000 commands or 64 MB'

/** Memory that a command takes in addition to its message, in bytes. */
const commandBytes = 500

/** The memory for commands that wait in the server, which the clients of a session share. */
export class HeldMemory {
  #bytes = 0

  /** Counts a command of a size in bytes until `remove`. Returns false if there is no room. */
  tryAdd(bytes: number): boolean {
    if (this.#bytes + bytes + commandBytes > maxHeldBytes) return false
    this.#bytes += bytes + commandBytes
    return true
  }

  remove(bytes: number): void {
    this.#bytes -= bytes + commandBytes
  }

  /** Counts a command while the server executes it. Returns false if there is no room. */
  tryRun(bytes: number, execute: () => Promise<void>): boolean {
    if (!this.tryAdd(bytes)) return false
    void execute().finally(() => this.remove(bytes))
    return true
  }
}

interface HeldCommand {
  readonly command: CdpCommand
  readonly bytes: number
}

/** Commands of one client that wait, in queues, within limits that the queues share. */
export class HeldCommands {
  readonly #memory: HeldMemory
  readonly #queues = new Map<string, HeldCommand[]>()
  readonly #sizes = new WeakMap<CdpCommand, number>()
  #count = 0

  /** `memory`: that of the session. */
  constructor(memory = new HeldMemory()) {
    this.#memory = memory
  }

  /** Whether there is no queue. */
  get isEmpty(): boolean {
    return this.#queues.size === 0
  }

  has(queue: string): boolean {
    return this.#queues.has(queue)
  }

  /** Creates a queue unless it exists. */
  open(queue: string): void {
    if (!this.#queues.has(queue)) this.#queues.set(queue, [])
  }

  /**
   * Adds a command to a queue. `bytes`: size of its message, or 0 for a command that was held
   * before, whose size is known. Returns `held`, `full` if too many commands wait, or `none` if
   * there is no such queue.
   */
  hold(queue: string, command: CdpCommand, bytes: number): 'none' | 'held' | 'full' {
    const commands = this.#queues.get(queue)
    if (commands === undefined) return 'none'
    const size = bytes === 0 ? (this.#sizes.get(command) ?? 0) : bytes
    if (this.#count >= maxHeld || !this.#memory.tryAdd(size)) return 'full'
    this.#sizes.set(command, size)
    this.#count += 1
    commands.push({ command, bytes: size })
    return 'held'
  }

  /** Removes a queue and returns its commands in order. */
  take(queue: string): readonly CdpCommand[] {
    const commands = this.#queues.get(queue) ?? []
    this.#queues.delete(queue)
    this.#count -= commands.length
    for (const { bytes } of commands) this.#memory.remove(bytes)
    return commands.map(({ command }) => command)
  }

  /** Drops all queues. */
  clear(): void {
    for (const queue of this.#queues.keys()) this.take(queue)
  }
}
