import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'

/** A stream that passes its input on. `result` is known at its end. */
export interface HashStream {
  readonly stream: Transform
  readonly result: () => { readonly bytes: number; readonly sha256: string }
}

/**
 * Creates a stream that counts and hashes what passes through it. It fails at its end if `assert`
 * throws, which may call `result`.
 */
export function createHashStream({ assert }: { readonly assert?: () => void } = {}): HashStream {
  const hash = createHash('sha256')
  let bytes = 0
  let sha256 = ''
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
    flush: (done) => {
      sha256 = hash.digest('hex')
      try {
        assert?.()
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
  return { stream, result: () => ({ bytes, sha256 }) }
}
