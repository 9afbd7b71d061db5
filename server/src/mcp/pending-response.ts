import { toError, type FromProcess, type ProcessError } from './process-messages.ts'

/** A response whose parts arrive as messages. */
export class PendingResponse {
  readonly response: Promise<Response>
  readonly #head = Promise.withResolvers<Response>()
  readonly #body: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isOpen = true

  /** Calls `onCancel` if the reader stops reading. */
  constructor(onCancel: () => void) {
    this.response = this.#head.promise
    this.#body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#isOpen = false
        onCancel()
      },
    })
  }

  /** Adds a part of the response. */
  receive(message: FromProcess): void {
    if (message.kind === 'head') {
      const { status, headers } = message
      const isEmpty = status === 204 || status === 304
      this.#head.resolve(
        new Response(isEmpty ? null : this.#body, {
          status,
          headers: headers.map(([name, value]): [string, string] => [name, value]),
        }),
      )
    } else if (message.kind === 'chunk' && this.#isOpen) this.#controller?.enqueue(message.chunk)
    else if (message.kind === 'end' && this.#isOpen) this.#end(message.error)
  }

  #end(error: ProcessError | undefined): void {
    this.#isOpen = false
    if (error === undefined) return this.#controller?.close()
    this.#head.reject(toError(error))
    this.#controller?.error(toError(error))
  }
}
