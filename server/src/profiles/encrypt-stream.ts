import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { BowlineError } from 'bowline/kit/errors'

/** A stream of bytes. */
export type Bytes = AsyncIterable<Buffer>

const magic = Buffer.from('BLS1')
const saltLength = 16
const headLength = magic.length + saltLength
const chunkLength = 64 * 1024
const tagLength = 16

/**
 * Encrypts a stream with AES-256-GCM in chunks. Changing, reordering, dropping or truncating chunks
 * is detected. Decryption requires the same `binding`. The key has 32 bytes.
 */
export const encryptStream = async function* (source: Bytes, key: Buffer, binding: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltLength)
  const chunkKey = deriveKey(key, salt, binding)
  yield Buffer.concat([magic, salt])
  let index = 0
  for await (const { bytes, isLast } of chunksOf(source, chunkLength, chunkLength)) {
    const cipher = createCipheriv('aes-256-gcm', chunkKey, nonceOf(index++, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/**
 * Decrypts the output of `encryptStream`. Throws PROFILE_UNREADABLE if it was modified or
 * truncated, or if the key or binding differs.
 */
export const decryptStream = async function* (source: Bytes, key: Buffer, binding: string): AsyncGenerator<Buffer> {
  let chunkKey: Buffer | undefined
  let index = 0
  for await (const { bytes, isLast } of chunksOf(source, headLength, chunkLength + tagLength)) {
    if (chunkKey === undefined) {
      if (isLast || !bytes.subarray(0, magic.length).equals(magic)) throw unreadable()
      chunkKey = deriveKey(key, bytes.subarray(magic.length), binding)
    } else {
      yield decryptChunk(chunkKey, nonceOf(index++, isLast), bytes)
    }
  }
}

/** Derives a separate key for each stream, bound to `binding`, so that nonces can be counters. */
function deriveKey(key: Buffer, salt: Buffer, binding: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `bowline profile ${binding}`, 32))
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

function decryptChunk(chunkKey: Buffer, nonce: Buffer, bytes: Buffer): Buffer {
  if (bytes.length < tagLength) throw unreadable()
  const decipher = createDecipheriv('aes-256-gcm', chunkKey, nonce, { authTagLength: tagLength })
  decipher.setAuthTag(bytes.subarray(-tagLength))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagLength)), decipher.final()])
  } catch (cause) {
    throw unreadable(cause)
  }
}

/**
 * Splits a stream into a first chunk and chunks of equal length. Only the last one is shorter or
 * empty.
 */
const chunksOf = async function* (
  source: Bytes,
  firstLength: number,
  length: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let buffered: Buffer = Buffer.alloc(0)
  let nextLength = firstLength
  for await (const data of source) {
    buffered = buffered.length === 0 ? data : Buffer.concat([buffered, data])
    while (buffered.length > nextLength) {
      yield { bytes: buffered.subarray(0, nextLength), isLast: false }
      buffered = buffered.subarray(nextLength)
      nextLength = length
    }
  }
  yield { bytes: buffered, isLast: true }
}

function unreadable(cause?: unknown): BowlineError {
  return new BowlineError('PROFILE_UNREADABLE', 'The saved profile is damaged or was modified after it was saved', {
    cause,
  })
}
