import { Transform, type TransformCallback } from 'node:stream'
import { createInflate, createInflateRaw, type Inflate, type InflateRaw } from 'node:zlib'

/**
 * Decodes the content coding `deflate`, with or without the header of RFC 1950. Some sites omit the
 * header, and browsers accept both.
 */
export class DeflateDecoder extends Transform {
  #inflate: Inflate | InflateRaw | undefined

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (chunk.length === 0) return done()
    this.#inflate ??= this.#open((chunk[0] ?? 0) & compressionMethod)
    this.#inflate.write(chunk, done)
  }

  override _flush(done: TransformCallback): void {
    if (this.#inflate === undefined) return done()
    this.#inflate.once('end', done)
    this.#inflate.end()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate?.destroy()
    done(error)
  }

  #open(method: number): Inflate | InflateRaw {
    const inflate = method === deflateMethod ? createInflate() : createInflateRaw()
    inflate.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) inflate.pause()
    })
    inflate.on('error', (error) => this.destroy(error))
    return inflate
  }

  override _read(size: number): void {
    this.#inflate?.resume()
    super._read(size)
  }
}

/** Bits of the first byte with the compression method, in RFC 1950. */
const compressionMethod = 0x0f
const deflateMethod = 8
