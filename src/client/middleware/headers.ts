import type { ClientConfig } from '../config.ts'
import type { Middleware } from '../send.ts'

/** Adds the API key and the custom headers. */
export function headers(config: Pick<ClientConfig, 'apiKey' | 'headers'>): Middleware {
  return (next) => (request) => {
    for (const [name, value] of Object.entries(config.headers)) request.headers.set(name, value)
    request.headers.set('authorization', `Bearer ${config.apiKey}`)
    return next(request)
  }
}
