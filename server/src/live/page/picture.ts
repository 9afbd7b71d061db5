import { elements } from './elements.ts'

/** The canvas that shows the page of the session. */
export interface Picture {
  /** Decodes a frame and draws it, unless a newer one came meanwhile. Calls `onDrawn` with its number. */
  readonly show: (frame: ArrayBuffer) => void
  /** A place on the screen in CSS pixels of the watched page. */
  readonly toPage: (place: { readonly clientX: number; readonly clientY: number }) => { x: number; y: number }
  /** A length on the watched page in CSS pixels of the screen. */
  readonly scale: () => number
}

const headerBytes = 12
const formats = ['image/jpeg', 'image/webp']

/** Makes the picture. It fits itself into the stage, keeping its shape. */
export function createPicture(onDrawn: (frame: number) => void): Picture {
  const { picture, sheet, stage } = elements
  const context = picture.getContext('2d', { alpha: false })
  let page = { width: 0, height: 0 }
  let newest = 0

  const fit = (): void => {
    if (page.width === 0) return
    const style = getComputedStyle(stage)
    const room = {
      width: stage.clientWidth - Number.parseFloat(style.paddingLeft) * 2,
      height: stage.clientHeight - Number.parseFloat(style.paddingTop) * 2,
    }
    const scale = Math.min(room.width / page.width, room.height / page.height)
    sheet.style.width = `${Math.round(page.width * scale)}px`
    sheet.style.height = `${Math.round(page.height * scale)}px`
  }
  new ResizeObserver(fit).observe(stage)

  const draw = (image: ImageBitmap, size: typeof page): void => {
    if (picture.width !== image.width || picture.height !== image.height) {
      picture.width = image.width
      picture.height = image.height
    }
    context?.drawImage(image, 0, 0)
    image.close()
    sheet.hidden = false
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
        // A picture that cannot be read is as done with as one that was drawn.
        .catch(() => undefined)
        .finally(() => onDrawn(number))
    },
    toPage: ({ clientX, clientY }) => {
      const box = picture.getBoundingClientRect()
      return {
        x: ((clientX - box.left) / box.width) * page.width,
        y: ((clientY - box.top) / box.height) * page.height,
      }
    },
    scale: () => picture.getBoundingClientRect().width / page.width,
  }
}
