import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { BowlineError } from 'bowline/kit/errors'

/** Bytes as a stream yields them. */
export type Bytes = AsyncIterable<Buffer>

const magic = Buffer.from('BLS1')
const saltLength = 16
const headLength = magic.length + saltLength
const chunkLength = 64 * 1024
const tagLength = 16

/**
 * Encrypts a stream with AES-256-GCM, chunk by chunk: none can be changed, moved, left out or cut off unnoticed.
 * `context` says what it is; unsealing with another context fails. The key has 32 bytes.
 */
export const encryptStream = async function* (source: Bytes, key: Buffer, context: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltLength)
  const chunkKey = deriveKey(key, salt, context)
  yield Buffer.concat([magic, salt])
  let index = 0
  for await (const { bytes, isLast } of chunksOf(source, chunkLength, chunkLength)) {
    const cipher = createCipheriv('aes-256-gcm', chunkKey, nonceOf(index++, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/** Decrypts what `seal` made. Throws PROFILE_UNREADABLE when it was changed, cut off, or sealed otherwise. */
export const unseal = async function* (source: Bytes, key: Buffer, context: string): AsyncGenerator<Buffer> {
  let chunkKey: Buffer | undefined
  let index = 0
  for await (const { bytes, isLast } of chunksOf(source, headLength, chunkLength + tagLength)) {
    if (chunkKey === undefined) {
      if (isLast || !bytes.subarray(0, magic.length).equals(magic)) throw unreadable()
      chunkKey = deriveKey(key, bytes.subarray(magic.length), context)
    } else {
      yield openChunk(chunkKey, nonceOf(index++, isLast), bytes)
    }
  }
}

/** A key of its own for each stream, bound to its context, so that nonces can simply count. */
function deriveKey(key: Buffer, salt: Buffer, context: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `bowline profile ${context}`, 32))
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

function openChunk(chunkKey: Buffer, nonce: Buffer, bytes: Buffer): Buffer {
  if (bytes.length < tagLength) throw unreadable()
  const decipher = createDecipheriv('aes-256-gcm', chunkKey, nonce, { authTagLength: tagLength })
  decipher.setAuthTag(bytes.subarray(-tagLength))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -tagLength)), decipher.final()])
  } catch (cause) {
    throw unreadable(cause)
  }
}

/** Cuts a stream into a first piece and equal ones; only the last, which may be empty, is shorter. */
const chunksOf = async function* (
  source: Bytes,
  firstLength: number,
  length: number,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  let held: Buffer = Buffer.alloc(0)
  let wanted = firstLength
  for await (const data of source) {
    held = held.length === 0 ? data : Buffer.concat([held, data])
    while (held.length > wanted) {
      yield { bytes: held.subarray(0, wanted), isLast: false }
      held = held.subarray(wanted)
      wanted = length
    }
  }
  yield { bytes: held, isLast: true }
}

function unreadable(cause?: unknown): BowlineError {
  return new BowlineError('PROFILE_UNREADABLE', 'The saved profile is damaged, or was changed after it was saved', {
    cause,
  })
}
