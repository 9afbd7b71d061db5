import { elements } from './elements.ts'

/** The canvas that shows the page of the session. */
export interface PageCanvas {
  /** Decodes and draws a frame unless a newer one has arrived. Calls `onDrawn` with its number. */
  readonly show: (frame: ArrayBuffer) => void
  /** Converts a position in the viewer's window to CSS pixels of the watched page. */
  readonly toPage: (position: { readonly clientX: number; readonly clientY: number }) => { x: number; y: number }
  /** CSS pixels in the viewer's window per CSS pixel of the watched page. */
  readonly scale: () => number
}

const headerBytes = 12
const formats = ['image/jpeg', 'image/webp']

/** Creates the canvas. It is scaled to fit the viewport and keeps its aspect ratio. */
export function createPageCanvas(onDrawn: (frame: number) => void): PageCanvas {
  const { canvas, screen, viewport } = elements
  const context = canvas.getContext('2d', { alpha: false })
  let page = { width: 0, height: 0 }
  let newest = 0

  const fit = (): void => {
    if (page.width === 0) return
    const style = getComputedStyle(viewport)
    const area = {
      width: viewport.clientWidth - Number.parseFloat(style.paddingLeft) * 2,
      height: viewport.clientHeight - Number.parseFloat(style.paddingTop) * 2,
    }
    const scale = Math.min(area.width / page.width, area.height / page.height)
    screen.style.width = `${Math.round(page.width * scale)}px`
    screen.style.height = `${Math.round(page.height * scale)}px`
  }
  new ResizeObserver(fit).observe(viewport)

  const draw = (image: ImageBitmap, size: typeof page): void => {
    if (canvas.width !== image.width || canvas.height !== image.height) {
      canvas.width = image.width
      canvas.height = image.height
    }
    context?.drawImage(image, 0, 0)
    image.close()
    screen.hidden = false
    if (size.width === page.width && size.height === page.height) return
    page = size
    fit()
  }

  return {
    show: (frame) => {
      const header = new DataView(frame, 0, headerBytes)
      const number = header.getUint32(8)
      newest = number
      const type = formats[header.getUint8(1)] ?? 'image/jpeg'
      createImageBitmap(new Blob([new Uint8Array(frame, headerBytes)], { type }))
        .then((image) => {
          if (newest === number) draw(image, { width: header.getUint16(2), height: header.getUint16(4) })
          else image.close()
        })
        // A frame that cannot be decoded is acknowledged as well.
        .catch(() => undefined)
        .finally(() => onDrawn(number))
    },
    toPage: ({ clientX, clientY }) => {
      const box = canvas.getBoundingClientRect()
      return {
        x: ((clientX - box.left) / box.width) * page.width,
        y: ((clientY - box.top) / box.height) * page.height,
      }
    },
    scale: () => canvas.getBoundingClientRect().width / page.width,
  }
}
