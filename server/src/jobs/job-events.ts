import { EventEmitter } from 'node:events'

/** Notifies listeners within this server of changes to jobs. */
export class JobEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  /** Notifies the listeners of a job. */
  notify(jobId: string): void {
    this.#emitter.emit(jobId)
  }

  /** Calls `listener` on each change of a job until disposed. */
  listen(jobId: string, listener: () => void): Disposable {
    this.#emitter.on(jobId, listener)
    return { [Symbol.dispose]: () => void this.#emitter.off(jobId, listener) }
  }
}
