import { createHmac } from 'node:crypto'

/** The signature of a body: `sha256=` and the HMAC-SHA256 as hexadecimal text. */
export function signBody(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
