/** The tab that a live view shows, and the number of tabs. */
export interface ShownTab {
  readonly title: string
  readonly url: string
  readonly tabs: number
}

/** Callbacks of `watch`. */
export interface WatchEvents {
  readonly onFrame: (image: ImageBitmap) => void
  readonly onShown: (shown: ShownTab) => void
  /** The session has ended. */
  readonly onEnded: () => void
}

/** Size and rate of frames. */
export interface FrameOptions {
  /** Device pixels. */
  readonly width: number
  readonly height: number
  /** Minimum milliseconds between frames. */
  readonly everyMs: number
}

/** The messages of the live view that a thumbnail needs. */
type Message =
  | { readonly type: 'hello' | 'ended' }
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
export function watch(liveViewUrl: string, frameOptions: FrameOptions, events: WatchEvents): Disposable {
  const address = new URL(onThisServer(liveViewUrl), location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.pathname += '/socket'
  let socket: WebSocket | undefined
  let hasEnded = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let drawn = 0

  const onImage = (image: ImageBitmap, frame: number): void => {
    // A later frame may have been decoded first. A still page would send no other one to fix it.
    if (hasEnded || frame < drawn) return image.close()
    drawn = frame
    events.onFrame(image)
  }
  const onMessage = (opened: WebSocket, data: string | ArrayBuffer): void => {
    if (data instanceof ArrayBuffer) return void draw(opened, data, onImage)
    const message = JSON.parse(data) as Message
    if (message.type === 'hello') opened.send(JSON.stringify({ type: 'looks', isVisible: true, ...frameOptions }))
    if (message.type === 'tabs') {
      const tab = message.tabs.find(({ id }) => id === message.shown)
      events.onShown({ title: tab?.title ?? '', url: tab?.url ?? '', tabs: message.tabs.length })
    }
    if (message.type === 'ended') {
      hasEnded = true
      events.onEnded()
    }
  }
  const open = (): void => {
    const opened = new WebSocket(address)
    socket = opened
    drawn = 0
    opened.binaryType = 'arraybuffer'
    opened.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => onMessage(opened, data))
    opened.addEventListener('close', () => {
      if (!hasEnded) retry = setTimeout(open, retryMs)
    })
  }
  open()
  return {
    [Symbol.dispose]: () => {
      hasEnded = true
      clearTimeout(retry)
      socket?.close()
    },
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
