/** What a live view tells about its session beside pictures. */
export interface Shown {
  readonly title: string
  readonly url: string
  readonly tabs: number
}

/** What comes of watching. */
export interface WatchEvents {
  readonly onFrame: (image: ImageBitmap) => void
  readonly onShown: (shown: Shown) => void
  /** The session is over. */
  readonly onEnded: () => void
}

/** How large and how often pictures are wanted. */
export interface Looks {
  /** Device pixels. */
  readonly width: number
  readonly height: number
  /** Least time between two pictures. */
  readonly everyMs: number
}

/** The part of the live view's messages that a small picture needs. */
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

/** The same page at the address the dashboard was opened at: the server may call itself by another name. */
export function onThisServer(url: string): string {
  const { pathname, search } = new URL(url, location.href)
  return `${pathname}${search}`
}

/** Watches a session by the address of its live view, without the API key. Disposing closes the connection. */
export function watch(liveViewUrl: string, looks: Looks, events: WatchEvents): Disposable {
  const address = new URL(onThisServer(liveViewUrl), location.href)
  address.protocol = address.protocol.replace('http', 'ws')
  address.pathname += '/socket'
  let socket: WebSocket | undefined
  let isOver = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let drawn = 0

  const onImage = (image: ImageBitmap, frame: number): void => {
    // The next one may have been read sooner; a page at rest sends no other that would set it right.
    if (isOver || frame < drawn) return image.close()
    drawn = frame
    events.onFrame(image)
  }
  const onMessage = (opened: WebSocket, data: string | ArrayBuffer): void => {
    if (data instanceof ArrayBuffer) return void draw(opened, data, onImage)
    const message = JSON.parse(data) as Message
    if (message.type === 'hello') opened.send(JSON.stringify({ type: 'looks', isVisible: true, ...looks }))
    if (message.type === 'tabs') {
      const tab = message.tabs.find(({ id }) => id === message.shown)
      events.onShown({ title: tab?.title ?? '', url: tab?.url ?? '', tabs: message.tabs.length })
    }
    if (message.type === 'ended') {
      isOver = true
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
      if (!isOver) retry = setTimeout(open, retryMs)
    })
  }
  open()
  return {
    [Symbol.dispose]: () => {
      isOver = true
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
  // A picture that cannot be read is as done with as one that was drawn.
  const image = await createImageBitmap(new Blob([new Uint8Array(frame, headerBytes)], { type })).catch(() => undefined)
  if (image !== undefined) onImage(image, number)
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'drawn', frame: number }))
}
