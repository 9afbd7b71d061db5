import type { ServerResponse } from 'node:http'

/** Resolves to whether the whole answer was handed to the connection of the client, once that is known. Never rejects. */
export async function deliveryOf(response: ServerResponse): Promise<boolean> {
  if (response.writableFinished || response.destroyed) return response.writableFinished
  return new Promise((resolve) => {
    response.once('finish', () => resolve(true))
    response.once('close', () => resolve(response.writableFinished))
  })
}
