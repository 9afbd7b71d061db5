/** Bytes reserved at the front for the position of the index, which is known only at the end. */
const seekBytes = 96

const clusterMs = 4000
const clusterBytes = 1_000_000

/** Bytes to overwrite at a position when the video ends. */
interface Patch {
  readonly position: number
  readonly bytes: Buffer
}

/** Writes a WebM file from VP8 key frames. Passes its bytes to `append` in order. */
export class WebmWriter {
  readonly #append: (bytes: Buffer) => void
  #position = 0
  #segmentStart = 0
  #durationPosition = 0
  #lastMs = 0
  #cluster: { readonly startMs: number; readonly blocks: Buffer[]; bytes: number } | undefined
  readonly #cues: { readonly timeMs: number; readonly position: number }[] = []
  #lastFrame: Buffer | undefined

  constructor(append: (bytes: Buffer) => void) {
    this.#append = append
  }

  /** Adds a frame that is shown from `timeMs` on. */
  add(vp8: Buffer, timeMs: number): void {
    if (this.#lastFrame === undefined) this.#begin(vp8)
    this.#lastFrame = vp8
    this.#lastMs = Math.max(this.#lastMs, Math.round(timeMs))
    const { startMs, bytes } = this.#cluster ?? { startMs: 0, bytes: 0 }
    if (this.#lastMs - startMs > clusterMs || bytes > clusterBytes) this.#flush()
    this.#cluster ??= { startMs: this.#lastMs, blocks: [], bytes: 0 }
    const head = Buffer.from([0x81, 0, 0, 0x80])
    head.writeInt16BE(this.#lastMs - this.#cluster.startMs, 1)
    const block = element('a3', head, vp8)
    this.#cluster.blocks.push(block)
    this.#cluster.bytes += block.length
  }

  /**
   * Ends the video at `endMs`. Returns patches for bytes that were appended already, or `undefined`
   * if there are no frames.
   */
  finish(endMs: number): readonly Patch[] | undefined {
    if (this.#lastFrame === undefined) return undefined
    // Repeats the last frame. Otherwise players would end at its start.
    this.add(this.#lastFrame, endMs)
    this.#flush()
    const cuesPosition = this.#position - this.#segmentStart
    const cues = this.#cues.map(({ timeMs, position }) =>
      element('bb', element('b3', timeMs), element('b7', element('f7', 1), element('f1', position))),
    )
    this.#write(element('1c53bb6b', ...cues))
    const seek = element(
      '114d9b74',
      element('4dbb', element('53ab', Buffer.from('1c53bb6b', 'hex')), element('53ac', cuesPosition)),
    )
    const segmentSize = Buffer.alloc(8)
    segmentSize.writeBigUInt64BE(BigInt(this.#position - this.#segmentStart))
    segmentSize[0] = 0x01
    return [
      { position: this.#segmentStart - 8, bytes: segmentSize },
      { position: this.#segmentStart, bytes: Buffer.concat([seek, padding(seekBytes - seek.length)]) },
      { position: this.#durationPosition, bytes: float(this.#lastMs) },
    ]
  }

  #begin(vp8: Buffer): void {
    const { width, height } = sizeOfVp8(vp8)
    this.#write(
      element(
        '1a45dfa3',
        element('4286', 1),
        element('42f7', 1),
        element('42f2', 4),
        element('42f3', 8),
        element('4282', 'webm'),
        element('4287', 4),
        element('4285', 2),
      ),
    )
    this.#write(Buffer.from('1853806701ffffffffffffff', 'hex'))
    this.#segmentStart = this.#position
    this.#write(padding(seekBytes))
    const scale = element('2ad7b1', 1_000_000)
    const apps = [element('4d80', 'bowline'), element('5741', 'bowline')]
    const info = element('1549a966', scale, ...apps, element('4489', float(0)))
    this.#write(info)
    this.#durationPosition = this.#position - 8
    const video = element('e0', element('b0', width), element('ba', height))
    const track = [
      element('d7', 1),
      element('73c5', 1),
      element('9c', 0),
      element('83', 1),
      element('86', 'V_VP8'),
      video,
    ]
    this.#write(element('1654ae6b', element('ae', ...track)))
  }

  #flush(): void {
    if (this.#cluster === undefined) return
    const { startMs, blocks } = this.#cluster
    this.#cues.push({ timeMs: startMs, position: this.#position - this.#segmentStart })
    this.#write(element('1f43b675', element('e7', startMs), ...blocks))
    this.#cluster = undefined
  }

  #write(bytes: Buffer): void {
    this.#position += bytes.length
    this.#append(bytes)
  }
}

/** Encodes an EBML element: its id, its size in eight bytes, its contents. */
function element(id: string, ...contents: readonly (Uint8Array | string | number)[]): Buffer {
  const payload = Buffer.concat(contents.map(toBytes))
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(payload.length))
  size[0] = 0x01
  return Buffer.concat([Buffer.from(id, 'hex'), size, payload])
}

function toBytes(value: Uint8Array | string | number): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value)
  if (typeof value !== 'number') return value
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(Math.round(value)))
  return bytes
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** A void element of `length` bytes in total. */
function padding(length: number): Buffer {
  return element('ec', Buffer.alloc(length - 9))
}

function sizeOfVp8(vp8: Buffer): { readonly width: number; readonly height: number } {
  return {
    width: vp8.readUInt16LE(6) & 0x3fff,
    height: vp8.readUInt16LE(8) & 0x3fff,
  }
}

/** Extracts the VP8 frame from a lossy WebP image. `undefined` for other images. */
export function vp8OfWebp(image: Buffer): Buffer | undefined {
  if (image.toString('latin1', 0, 4) !== 'RIFF' || image.toString('latin1', 8, 12) !== 'WEBP') return undefined
  for (let position = 12; position + 8 <= image.length;) {
    const size = image.readUInt32LE(position + 4)
    if (image.toString('latin1', position, position + 4) === 'VP8 ') {
      return image.subarray(position + 8, position + 8 + size)
    }
    position += 8 + size + (size % 2)
  }
  return undefined
}
