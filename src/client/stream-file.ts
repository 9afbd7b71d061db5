import { abortable, mergeSignals } from '../kit/abort.ts'
import { pollRetries, retriesOf } from './call.ts'
import { fileUrl, sendFileRequest, type FilesTransport } from './file-requests.ts'
import { connectionFailed } from './read-response.ts'
import { retryTransient } from './retry-transient.ts'

/** A file of a session: the URL of all its files, and the name. */
interface FileAddress {
  readonly base: URL
  readonly name: string
}

/**
 * Streams a file of a session. After a lost connection, continues from the bytes that have arrived.
 * Rejects with a BowlineError, or with the reason of an aborted signal; so does the stream.
 */
export async function streamFile(
  transport: FilesTransport,
  file: FileAddress,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const reader = new ResumingReader(transport, file, signal)
  await reader.open()
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await reader.read()
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
    cancel: async (reason) => reader.cancel(reason),
  })
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/** Reads a file over one connection after another. */
class ResumingReader {
  readonly #transport: FilesTransport
  readonly #file: FileAddress
  readonly #cancelled = new AbortController()
  readonly #signal: AbortSignal
  #body: ReadableStreamDefaultReader<Uint8Array> | undefined
  /** Bytes that the caller has received. */
  #received = 0
  /** Offset of the next chunk of the body. */
  #position = 0

  constructor(transport: FilesTransport, file: FileAddress, signal: AbortSignal | undefined) {
    this.#transport = transport
    this.#file = file
    this.#signal = mergeSignals(this.#cancelled.signal, signal)
  }

  async open(): Promise<void> {
    await this.#retry(async () => this.#open())
  }

  /** Returns the next chunk, or `undefined` at the end of the file. */
  async read(): Promise<Uint8Array | undefined> {
    return this.#retry(async () => this.#next())
  }

  async cancel(reason: unknown): Promise<void> {
    this.#cancelled.abort(reason)
    await this.#body?.cancel(reason)
  }

  async #retry<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const retries = retriesOf(this.#transport, { minRetries: pollRetries })
    return retryTransient(attempt, { retries, method: 'GET', signal: this.#signal })
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const { base, name } = this.#file
    const request = { method: 'GET', name, offset: this.#received } as const
    const response = await sendFileRequest(this.#transport, base, request, this.#signal)
    // Files that were kept after their session are always sent from the start.
    this.#position = response.status === 206 ? this.#received : 0
    this.#body = (response.body ?? new Blob([]).stream()).getReader()
    return this.#body
  }

  async #next(): Promise<Uint8Array | undefined> {
    const body = this.#body ?? (await this.#open())
    for (;;) {
      const { done, value } = await this.#readBody(body)
      if (done) return undefined
      const rest = value.subarray(Math.max(0, this.#received - this.#position))
      this.#position += value.length
      if (rest.length === 0) continue
      this.#received += rest.length
      return rest
    }
  }

  async #readBody(body: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadResult> {
    try {
      return await abortable(body.read(), this.#signal)
    } catch (error) {
      this.#body = undefined
      void body.cancel().catch(() => undefined)
      this.#signal.throwIfAborted()
      const { base, name } = this.#file
      throw connectionFailed(new Request(fileUrl(base, name)), error, base.searchParams.get('token') ?? '')
    }
  }
}
