import type { FastifyInstance } from 'fastify'
import { routes } from 'bowline/contract/routes'
import { BowlineError } from 'bowline/kit/errors'
import type { Artifacts } from '../../artifacts/artifacts.ts'
import { createPlayer, type Player } from '../../recordings/player.ts'
import { playerName, recordingKind } from '../../recordings/recording-details.ts'
import type { Recordings } from '../../recordings/recordings.ts'
import { getTeamSession } from '../../sessions/session-queries.ts'
import type { Store } from '../../store/store.ts'
import type { AccessOf } from '../authorize.ts'
import { registerRoute } from '../register-route.ts'
import type { Handlers } from '../register.ts'
import { Readable } from 'node:stream'

/** Dependencies of the recording routes. */
export interface RecordingRouteDeps {
  readonly store: Store
  readonly artifacts: Artifacts
  readonly recordings: Recordings
  readonly accessOf: AccessOf
}

/** Route that lists recordings. */
export function recordingHandlers({ store, recordings }: Pick<RecordingRouteDeps, 'store' | 'recordings'>): Handlers {
  return {
    listRecordings: async ({ params }, call) => {
      const row = await getTeamSession(store.db, params.id, call.key.teamId)
      const named = row.name === undefined ? {} : { sessionName: row.name }
      return { success: true, ...named, recordings: [...(await recordings.list(row, call.baseUrl))] }
    },
  }
}

interface RecordingParams {
  readonly name: string
}

const readHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Recorded content must never run as a page of this server. A browser that navigates to a video
  // loads it again into a separate document, so `media-src 'self'` is needed.
  'content-security-policy': "default-src 'none'; media-src 'self'; sandbox allow-same-origin",
}

/** Registers the route that reads a recording. */
export function registerRecordings(
  app: FastifyInstance,
  { artifacts, accessOf }: Pick<RecordingRouteDeps, 'artifacts' | 'accessOf'>,
): void {
  let player: Player | undefined
  registerRoute(app, 'readRecording', {
    handler: async (request, reply) => {
      const { name } = request.params as RecordingParams
      const { id, name: sessionName } = accessOf(request, routes.readRecording.auth)
      if (name === playerName) {
        const kept = await artifacts.list(recordingKind, id)
        if (kept.length === 0) throw new BowlineError('FILE_NOT_FOUND', 'The session has no recordings')
        player ??= createPlayer()
        void reply.headers({ ...readHeaders, ...player.headers })
        return reply.send(
          Readable.from(player.pageOf(artifacts, kept, { id, name: sessionName }), { objectMode: false }),
        )
      }
      const row = await artifacts.find(recordingKind, id, name)
      const { contentType } = row.details
      void reply.headers({ ...readHeaders, 'content-type': contentType, 'content-length': row.bytes })
      return reply.send(await artifacts.read(row))
    },
  })
}
