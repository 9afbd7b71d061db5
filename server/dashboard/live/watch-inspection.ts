import { LiveViewSocket } from './live-view-socket.ts'

/** A console message of a page. */
export interface InspectedMessage {
  readonly number: number
  readonly atMs: number
  readonly level: string
  readonly text: string
  /** Empty if it is unknown. */
  readonly url: string
  readonly line?: number
}

/** A request of a page. */
export interface InspectedRequest {
  readonly number: number
  readonly atMs: number
  readonly method: string
  readonly url: string
  readonly kind: string
  readonly isDone?: boolean
  readonly status?: number
  readonly error?: string
  readonly durationMs?: number
  readonly bytes?: number
}

/** The last console messages and requests of a session, oldest first. */
export interface Inspected {
  readonly messages: readonly InspectedMessage[]
  readonly requests: readonly InspectedRequest[]
}

type Message =
  | { readonly type: 'hello' | 'ended' }
  | ({ readonly type: 'inspected'; readonly isSnapshot: boolean } & Inspected)

const maxKept = 500

/**
 * Reads the console messages and requests of a session through its interactive live view URL.
 * Receives no pictures. Disposing disconnects.
 */
export class InspectionWatch implements Disposable {
  readonly #onChange: (inspected: Inspected) => void
  readonly #socket: LiveViewSocket<Message>
  #inspected: Inspected = { messages: [], requests: [] }

  constructor(interactiveLiveViewUrl: string, onChange: (inspected: Inspected) => void) {
    this.#onChange = onChange
    this.#socket = new LiveViewSocket(interactiveLiveViewUrl, {
      onMessage: (message, reply) => this.#receive(message, reply),
    })
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]()
  }

  #receive(message: Message, reply: (message: object) => void): void {
    if (message.type === 'hello') {
      reply({ type: 'viewport', isVisible: false, width: 1, height: 1 })
      reply({ type: 'inspect', isOn: true })
    }
    if (message.type === 'inspected') {
      const { messages, requests } = message.isSnapshot ? { messages: [], requests: [] } : this.#inspected
      this.#inspected = {
        messages: merge(messages, message.messages),
        requests: merge(requests, message.requests),
      }
      this.#onChange(this.#inspected)
    }
  }
}

/**
 * Adds new rows, and replaces those with the same number. Sorts by time: messages from before the
 * inspection began arrive later than their time, grouped by page and source.
 */
function merge<Row extends { readonly number: number; readonly atMs: number }>(
  known: readonly Row[],
  changed: readonly Row[],
): readonly Row[] {
  const rows = new Map([...known, ...changed].map((row) => [row.number, row]))
  return [...rows.values()].toSorted((one, other) => one.atMs - other.atMs).slice(-maxKept)
}
