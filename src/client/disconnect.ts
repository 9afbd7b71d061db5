import { abortable } from '../kit/abort.ts'

const limitMs = 2000

/**
 * Disconnects for at most 2 s, and never rejects. A library that hangs must not delay the deletion
 * of the session, which closes the connection anyway.
 */
export async function disconnect(connected: AsyncDisposable | undefined): Promise<void> {
  if (connected === undefined) return
  const leaving = Promise.resolve(connected[Symbol.asyncDispose]())
  // The session ends next, which closes the connection anyway.
  await abortable(leaving, AbortSignal.timeout(limitMs)).catch(() => undefined)
}
