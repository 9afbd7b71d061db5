import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BowlineError } from 'bowline/kit/errors'
import type { Artifacts } from '../../artifacts/artifacts.ts'
import { createPlayer, type Player } from '../../recordings/player.ts'
import { detailsOf, playerName } from '../../recordings/recording-details.ts'
import { isRecordingsToken, type Recordings } from '../../recordings/recordings.ts'
import { getSession, getTeamSession, sessionNotFound } from '../../sessions/session-queries.ts'
import type { SessionRow } from '../../store/tables/sessions.ts'
import type { Store } from '../../store/store.ts'
import type { Authenticator } from '../auth.ts'
import { registerRoute } from '../register-route.ts'
import type { Handlers } from '../register.ts'
import { Readable } from 'node:stream'

/** Dependencies of the recording routes. */
export interface RecordingRouteDeps {
  readonly store: Store
  readonly artifacts: Artifacts
  readonly recordings: Recordings
  readonly authenticator: Authenticator
}

/** Route that lists recordings. */
export function recordingHandlers({ store, recordings }: RecordingRouteDeps): Handlers {
  return {
    listRecordings: async ({ params }, call) => {
      const row = await getTeamSession(store.db, params.id, call.key.teamId)
      return { success: true, recordings: [...(await recordings.list(row, call.baseUrl))] }
    },
  }
}

interface RecordingParams {
  readonly id: string
  readonly name: string
}

const readHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Recorded content must never run as a page of this server. A browser that navigates to a video
  // loads it again into a separate document, hence `media-src 'self'`.
  'content-security-policy': "default-src 'none'; media-src 'self'; sandbox allow-same-origin",
}

/**
 * Registers the route that reads a recording. It accepts the API key, or the token of the
 * recording's URL.
 */
export function registerRecordings(app: FastifyInstance, deps: RecordingRouteDeps): void {
  const { artifacts } = deps
  let player: Player | undefined
  registerRoute(app, 'readRecording', {
    handler: async (request, reply) => {
      const { name } = request.params as RecordingParams
      const folder = { sessionId: (await findOwnedSession(deps, request)).id, kind: 'recording' } as const
      if (name === playerName) {
        const kept = await artifacts.list(folder)
        if (kept.length === 0) throw new BowlineError('FILE_NOT_FOUND', 'The session has no recordings')
        player ??= createPlayer()
        void reply.headers({ ...readHeaders, ...player.headers })
        return reply.send(Readable.from(player.pageOf(artifacts, kept), { objectMode: false }))
      }
      const row = await artifacts.find(folder, name)
      const { contentType } = detailsOf(row)
      void reply.headers({ ...readHeaders, 'content-type': contentType, 'content-length': row.bytes })
      return reply.send(await artifacts.read(row))
    },
  })
}

async function findOwnedSession(
  { store, authenticator }: RecordingRouteDeps,
  request: FastifyRequest,
): Promise<SessionRow> {
  const { token } = request.query as { readonly token?: string }
  const { id } = request.params as RecordingParams
  if (token === undefined) {
    const { teamId } = await authenticator.authenticate(request.headers.authorization, request.ip)
    return getTeamSession(store.db, id, teamId)
  }
  const row = await getSession(store.db, id)
  if (!isRecordingsToken(row, token)) throw sessionNotFound()
  return row
}
