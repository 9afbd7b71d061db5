import type { Recording } from '../contract/recordings.ts'
import type { Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'
import { connectionFailed } from './middleware/translate.ts'
import { writeWhole } from './write-whole.ts'

/** What was recorded of a session, once it has ended. Its `record` option tells what is. */
export interface SessionRecordings {
  /** The recordings with their addresses; empty while the session lives, and when nothing was kept. */
  readonly list: (how?: Abortable) => Promise<readonly Recording[]>
  /** Reads a recording, such as `har.json`, or `player.html`, the page that plays all. Rejects with FILE_NOT_FOUND. */
  readonly read: (name: string, how?: Abortable) => Promise<ReadableStream<Uint8Array>>
  /** Saves a recording to a local path, where it appears when it is whole. Rejects with FILE_NOT_FOUND. */
  readonly download: (name: string, path: string, how?: Abortable) => Promise<void>
}

/** Makes the recordings of the session with an id. */
export function createSessionRecordings(
  call: Call,
  id: string,
  transport: { readonly fetch: typeof globalThis.fetch },
): SessionRecordings {
  const list: SessionRecordings['list'] = async (how = {}) =>
    (await call('listRecordings', { params: { id } }, how)).recordings
  const read: SessionRecordings['read'] = async (name, how) => {
    const found = (await list(how)).find((recording) => recording.name === name)
    if (found === undefined) throw new BowlineError('FILE_NOT_FOUND', `The session has no recording "${name}"`)
    const request = new Request(found.url, how?.signal === undefined ? {} : { signal: how.signal })
    const token = new URL(found.url).searchParams.get('token') ?? ''
    const response = await transport.fetch(request).catch((error: unknown) => {
      throw how?.signal?.aborted === true ? how.signal.reason : connectionFailed(request, error, token)
    })
    if (response.ok && response.body !== null) return response.body
    throw new BowlineError('FILE_NOT_FOUND', `The recording "${name}" could not be read (status ${response.status})`)
  }
  return {
    list,
    read,
    download: async (name, path, how) => writeWhole(await read(name, how), path, how?.signal),
  }
}
