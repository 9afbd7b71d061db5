/** Statuses whose responses cannot have a body, not even an empty one. */
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Creates a response from a body that has been read. Drops it if the status does not allow one. */
export function toResponse(status: number, body: string, headers: NonNullable<ResponseInit['headers']>): Response {
  return new Response(statusesWithoutBody.has(status) ? null : body, { status, headers })
}
