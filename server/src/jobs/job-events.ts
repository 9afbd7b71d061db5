import { EventEmitter } from 'node:events'

/** Tells within this server that something about a job has changed. */
export class JobEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  /** Tells those who listen for a job. */
  notify(jobId: string): void {
    this.#emitter.emit(jobId)
  }

  /** Listens for a job until disposed of. */
  listen(jobId: string, listener: () => void): Disposable {
    this.#emitter.on(jobId, listener)
    return { [Symbol.dispose]: () => void this.#emitter.off(jobId, listener) }
  }
}
