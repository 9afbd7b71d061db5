import { createHmac } from 'node:crypto'

/** Returns the signature of a body: `sha256=` followed by its HMAC-SHA256 in hex. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
