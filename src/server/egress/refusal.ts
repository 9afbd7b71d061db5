import { STATUS_CODES } from 'node:http'
import { isBowlineError } from '../../kit/errors.ts'

/** An answer of the proxy itself. */
export interface ProxyAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The header that marks an answer as one of the egress proxy. */
export const egressHeader = 'x-bowline-egress'

/** Puts the reason why a target was not connected to into an answer: HTML for pages, text for tunnels. */
export const explainFailure = (error: unknown, as: 'html' | 'text'): ProxyAnswer => {
  const known = isBowlineError(error) ? error : undefined
  const status = known?.code === 'EGRESS_REFUSED' ? 403 : known?.code === 'BAD_REQUEST' ? 400 : 502
  const message = known?.message ?? 'The connection failed'
  const hint = status === 403 ? known?.hint : undefined
  const headers = {
    'content-type': as === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    [egressHeader]: status === 403 ? 'refused' : 'failed',
  }
  const body = as === 'html' ? htmlOf(status, message, hint) : `${[message, hint].filter(Boolean).join('\n')}\n`
  return { status, headers, body }
}

/** An answer as bytes, for sockets that speak no HTTP any more afterwards. */
export const rawAnswer = ({ status, headers, body }: ProxyAnswer): string => {
  const lines = [
    ...Object.entries(headers),
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}

const htmlOf = (status: number, message: string, hint: string | undefined): string => {
  const title = status === 403 ? 'Address refused' : 'Connection failed'
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em }</style></head>
<body><h1>${title}</h1><p>${escapeHtml(message)}</p>${hint === undefined ? '' : `<p>${escapeHtml(hint)}</p>`}
<p><small>This page was written by the egress proxy of Bowline.</small></p></body>
</html>
`
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`)
