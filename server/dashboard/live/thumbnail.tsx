import { useEffect, useRef, useState } from 'preact/hooks'
import { useVisible } from './use-visible.ts'
import { watchLiveView, type ShownTab } from './watch-live-view.ts'

interface ThumbnailProps {
  readonly liveViewUrl: string
  /** Minimum milliseconds between frames. */
  readonly frameMs: number
  readonly onShown: (shown: ShownTab) => void
  readonly onHandoff: (isOpen: boolean) => void
  readonly onEnded: () => void
}

/** Maximum width of a thumbnail in device pixels. */
const maxWidthPixels = 640

/** A live thumbnail of a session. Connected only while it is visible. */
export function Thumbnail({ liveViewUrl, frameMs, onShown, onHandoff, onEnded }: ThumbnailProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const isVisible = useVisible(box)
  const [frames, setFrames] = useState(0)
  const events = useRef({ onShown, onHandoff, onEnded })
  events.current = { onShown, onHandoff, onEnded }

  useEffect(() => {
    if (!isVisible || box.current === null) return undefined
    const { clientWidth, clientHeight } = box.current
    const scale = Math.min(devicePixelRatio, maxWidthPixels / Math.max(1, clientWidth))
    const size = (length: number): number => Math.max(1, Math.round(length * scale))
    const watching = watchLiveView(
      liveViewUrl,
      { width: size(clientWidth), height: size(clientHeight), frameMs },
      {
        onFrame: (image) => {
          if (canvas.current === null) return image.close()
          drawInto(canvas.current, image)
          setFrames((last) => last + 1)
        },
        onShown: (shown) => events.current.onShown(shown),
        onHandoff: (isOpen) => events.current.onHandoff(isOpen),
        onEnded: () => events.current.onEnded(),
      },
    )
    return () => watching[Symbol.dispose]()
  }, [liveViewUrl, isVisible, frameMs])

  return (
    <div ref={box} class="thumbnail" data-frames={frames}>
      <canvas ref={canvas} hidden={frames === 0} aria-hidden="true" />
      {frames === 0 && <span class="faint">Waiting for the first frame</span>}
    </div>
  )
}

function drawInto(canvas: HTMLCanvasElement, image: ImageBitmap): void {
  if (canvas.width !== image.width || canvas.height !== image.height) {
    canvas.width = image.width
    canvas.height = image.height
  }
  canvas.getContext('2d', { alpha: false })?.drawImage(image, 0, 0)
  image.close()
}
