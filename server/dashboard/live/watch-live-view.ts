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
const retryMs = 2000

/**
 * Resolves a URL of the server against the dashboard's origin, which may differ from its public
 * URL.
 */
export function onThisServer(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}

/** Watches a session through its live view URL, without the API key. Disposing disconnects. */
export function watchLiveView(liveViewUrl: string, frameOptions: FrameOptions, events: WatchEvents): Disposable {
  return new LiveViewWatch(liveViewUrl, frameOptions, events)
}

class LiveViewWatch implements Disposable {
  readonly #address: URL
  readonly #frameOptions: FrameOptions
  readonly #events: WatchEvents
  #socket: WebSocket | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #hasEnded = false
  /** Number of the last drawn frame of this connection. */
  #lastFrame = 0

  constructor(liveViewUrl: string, frameOptions: FrameOptions, events: WatchEvents) {
    this.#frameOptions = frameOptions
    this.#events = events
    this.#address = new URL(onThisServer(liveViewUrl), location.href)
    this.#address.protocol = this.#address.protocol.replace('http', 'ws')
    this.#address.pathname += '/socket'
    this.#connect()
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true
    clearTimeout(this.#retryTimer)
    this.#socket?.close()
  }

  #connect(): void {
    const socket = new WebSocket(this.#address)
    this.#socket = socket
    this.#lastFrame = 0
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => this.#receive(socket, data))
    socket.addEventListener('close', () => {
      if (!this.#hasEnded) this.#retryTimer = setTimeout(() => this.#connect(), retryMs)
    })
  }

  #receive(socket: WebSocket, data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) return void draw(socket, data, (image, frame) => this.#show(image, frame))
    const message = JSON.parse(data) as Message
    if (message.type === 'hello') {
      // Followed by the open hand-offs, if there are any.
      this.#events.onHandoff(false)
      const { width, height, frameMs } = this.#frameOptions
      socket.send(JSON.stringify({ type: 'looks', isVisible: true, width, height, everyMs: frameMs }))
    }
    if (message.type === 'tabs') {
      const tab = message.tabs.find(({ id }) => id === message.shown)
      this.#events.onShown({ title: tab?.title ?? '', url: tab?.url ?? '', tabs: message.tabs.length })
    }
    if (message.type === 'handoffs') this.#events.onHandoff(message.handoffs.length > 0)
    if (message.type === 'ended') {
      this.#hasEnded = true
      this.#events.onEnded()
    }
  }

  #show(image: ImageBitmap, frame: number): void {
    // A later frame may have been decoded first. A static page would send no further frame to
    // replace it.
    if (this.#hasEnded || frame < this.#lastFrame) return image.close()
    this.#lastFrame = frame
    this.#events.onFrame(image)
  }
}

async function draw(
  socket: WebSocket,
  frame: ArrayBuffer,
  onImage: (image: ImageBitmap, frame: number) => void,
): Promise<void> {
  const header = new DataView(frame, 0, headerBytes)
  const number = header.getUint32(8)
  const type = formats[header.getUint8(1)] ?? 'image/jpeg'
  // A frame that cannot be decoded is acknowledged as well.
  const image = await createImageBitmap(new Blob([new Uint8Array(frame, headerBytes)], { type })).catch(() => undefined)
  if (image !== undefined) onImage(image, number)
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'drawn', frame: number }))
}
