import type { CdpCall } from '../cdp/protocol.ts'
import type { Body } from './har-entry.ts'
import type { MutableExchange } from './redirect-chain.ts'

/** Larger response bodies are not recorded. */
export const maxBodyBytes = 1_000_000

/** Reads the response body of an exchange, or returns why it is not recorded. Never rejects. */
export async function readBody(call: CdpCall, { sent, contentBytes, response }: MutableExchange): Promise<Body> {
  if (response === undefined || contentBytes === 0) return undefined
  if (!isText(response.mimeType)) return { comment: 'only text bodies are recorded' }
  if (contentBytes > maxBodyBytes) return { comment: `larger than ${maxBodyBytes} bytes` }
  try {
    const { body, base64Encoded } = await call('Network.getResponseBody', { requestId: sent.requestId })
    return { text: body, isBase64: base64Encoded }
  } catch {
    // Chromium drops bodies when its buffer is full or the page navigates.
    return { comment: 'the browser no longer has the body' }
  }
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](json|xml)$|^application\/(javascript|x-javascript|ecmascript|x-www-form-urlencoded|graphql|x-ndjson)/i.test(
    mimeType,
  )
}
