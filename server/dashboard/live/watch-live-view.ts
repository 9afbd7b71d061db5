import { LiveViewSocket } from './live-view-socket.ts'

/** The tab that a live view shows, and the number of tabs. */
export interface ShownTab {
  readonly title: string
  readonly url: string
  readonly tabs: number
}

/** Callbacks of `watchLiveView`. */
export interface WatchEvents {
  readonly onFrame: (image: ImageBitmap) => void
  readonly onShown: (shown: ShownTab) => void
  /** Whether a page is handed off to a human. */
  readonly onHandoff: (isOpen: boolean) => void
  /** The session has ended. */
  readonly onEnded: () => void
}

/** Size and rate of frames. */
export interface FrameOptions {
  /** Device pixels. */
  readonly width: number
  readonly height: number
  /** Minimum milliseconds between frames. */
  readonly frameMs: number
}

/** The messages of the live view that a thumbnail needs. */
type Message =
  | { readonly type: 'hello' | 'ended' }
  | { readonly type: 'handoffs'; readonly handoffs: readonly unknown[] }
  | {
      readonly type: 'tabs'
      readonly tabs: readonly { readonly id: string; readonly title: string; readonly url: string }[]
      readonly shown?: string
    }

const headerBytes = 12
const formats = ['image/jpeg', 'image/webp']

/** Watches a session through its live view URL, without the API key. Disposing disconnects. */
export function watchLiveView(liveViewUrl: string, frameOptions: FrameOptions, events: WatchEvents): Disposable {
  return new LiveViewWatch(liveViewUrl, frameOptions, events)
}

class LiveViewWatch implements Disposable {
  readonly #frameOptions: FrameOptions
  readonly #events: WatchEvents
  readonly #socket: LiveViewSocket<Message>
  /** Number of the last drawn frame of this connection. */
  #lastFrame = 0

  constructor(liveViewUrl: string, frameOptions: FrameOptions, events: WatchEvents) {
    this.#frameOptions = frameOptions
    this.#events = events
    this.#socket = new LiveViewSocket(liveViewUrl, {
      onMessage: (message, reply) => this.#receive(message, reply),
      onFrame: (frame, reply) => void this.#draw(frame, reply),
    })
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]()
  }

  #receive(message: Message, reply: (message: object) => void): void {
    if (message.type === 'hello') {
      this.#lastFrame = 0
      // Followed by the open hand-offs, if there are any.
      this.#events.onHandoff(false)
      const { width, height, frameMs } = this.#frameOptions
      reply({ type: 'viewport', isVisible: true, width, height, minFrameIntervalMs: frameMs })
    }
    if (message.type === 'tabs') {
      const tab = message.tabs.find(({ id }) => id === message.shown)
      this.#events.onShown({ title: tab?.title ?? '', url: tab?.url ?? '', tabs: message.tabs.length })
    }
    if (message.type === 'handoffs') this.#events.onHandoff(message.handoffs.length > 0)
    if (message.type === 'ended') this.#events.onEnded()
  }

  async #draw(frame: ArrayBuffer, reply: (message: object) => void): Promise<void> {
    const header = new DataView(frame, 0, headerBytes)
    const number = header.getUint32(8)
    const type = formats[header.getUint8(1)] ?? 'image/jpeg'
    // A frame that cannot be decoded is acknowledged as well.
    const blob = new Blob([new Uint8Array(frame, headerBytes)], { type })
    const image = await createImageBitmap(blob).catch(() => undefined)
    if (image !== undefined) this.#show(image, number)
    reply({ type: 'drawn', frame: number })
  }

  #show(image: ImageBitmap, frame: number): void {
    // A later frame may have been decoded first. A static page would send no further frame to
    // replace it.
    if (this.#socket.hasEnded || frame < this.#lastFrame) return image.close()
    this.#lastFrame = frame
    this.#events.onFrame(image)
  }
}
