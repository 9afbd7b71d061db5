import type { ServerResponse } from 'node:http'

/**
 * Resolves to `true` once the whole response was written to the client's connection, or to `false`
 * if the connection closed before. Never rejects.
 */
export async function whenDelivered(response: ServerResponse): Promise<boolean> {
  if (response.writableFinished || response.destroyed) return response.writableFinished
  return new Promise((resolve) => {
    response.once('finish', () => resolve(true))
    response.once('close', () => resolve(response.writableFinished))
  })
}
