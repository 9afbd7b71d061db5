import type { Recording } from '../contract/recordings.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'
import { connectionFailed } from './read-response.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

/**
 * Recordings of a session that has ended. The session option `record` selects what is recorded.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright } from 'bowline/playwright'
 *
 * const bowline = new Bowline()
 * const record = { console: true, har: true }
 * const { sessionId } = await bowline.withSession(
 *   { ttl: 60, driver: playwright, record },
 *   async ({ page }) => {
 *     await page.goto('https://example.com')
 *   },
 * )
 * const recordings = bowline.sessions.recordings(sessionId)
 * for (const { name, size } of await recordings.list()) console.log(name, size)
 * await recordings.download('har.json', 'example.har')
 * ```
 */
export interface SessionRecordings {
  /**
   * Lists the recordings with their URLs. Empty while the session is alive, and if nothing was
   * kept.
   */
  readonly list: (requestOptions?: Abortable) => Promise<readonly Recording[]>
  /**
   * Streams a recording, such as `har.json`, or `player.html`, a page that plays all of them.
   * Rejects with FILE_NOT_FOUND.
   */
  readonly read: (name: string, requestOptions?: Abortable) => Promise<ReadableStream<Uint8Array>>
  /**
   * Saves a recording to a local path. The local file appears only when it is complete. Rejects
   * with FILE_NOT_FOUND.
   */
  readonly download: (name: string, path: string, requestOptions?: Abortable) => Promise<void>
}

/** Creates the `recordings` of a session. */
export function createSessionRecordings(
  call: Call,
  id: string,
  transport: { readonly fetch: typeof globalThis.fetch },
): SessionRecordings {
  const list: SessionRecordings['list'] = async (requestOptions = {}) =>
    (await call('listRecordings', { params: { id } }, requestOptions)).recordings
  const read: SessionRecordings['read'] = async (name, requestOptions) => {
    const found = (await list(requestOptions)).find((recording) => recording.name === name)
    if (found === undefined) throw new BowlineError('FILE_NOT_FOUND', `The session has no recording "${name}"`)
    const request = new Request(
      found.url,
      requestOptions?.signal === undefined ? {} : { signal: requestOptions.signal },
    )
    const token = new URL(found.url).searchParams.get('token') ?? ''
    const response = await transport.fetch(request).catch((error: unknown) => {
      throw requestOptions?.signal?.aborted === true
        ? requestOptions.signal.reason
        : connectionFailed(request, error, token)
    })
    if (response.ok && response.body !== null) return response.body
    throw new BowlineError('FILE_NOT_FOUND', `The recording "${name}" could not be read (status ${response.status})`)
  }
  return {
    list,
    read,
    download: async (name, path, requestOptions) =>
      writeFileAtomically(await read(name, requestOptions), path, requestOptions?.signal),
  }
}
