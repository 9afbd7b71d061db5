import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const saltLength = 16
const tagLength = 16

/** Each value has a key of its own, so the nonce can be constant. */
const nonce = Buffer.alloc(12)

/**
 * Encrypts a value with AES-256-GCM. Decryption requires the same `binding`. The key has 32 bytes.
 */
export function encryptValue(value: string, key: Buffer, binding: string): Buffer {
  const salt = randomBytes(saltLength)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(key, salt), nonce)
  cipher.setAAD(Buffer.from(binding))
  return Buffer.concat([salt, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts the output of `encryptValue`. Undefined if it, the key or the binding differs. */
export function decryptValue(encrypted: Buffer, key: Buffer, binding: string): string | undefined {
  if (encrypted.length < saltLength + tagLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(key, encrypted.subarray(0, saltLength)), nonce, {
    authTagLength: tagLength,
  })
  decipher.setAAD(Buffer.from(binding))
  decipher.setAuthTag(encrypted.subarray(-tagLength))
  try {
    const plain = [decipher.update(encrypted.subarray(saltLength, -tagLength)), decipher.final()]
    return Buffer.concat(plain).toString('utf8')
  } catch {
    return undefined
  }
}

function deriveKey(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'bowline secret', 32))
}
