import { z } from 'zod'
import { sessionParams } from './browser.ts'
import { listRecordingsResponse, recordingParams, recordingQuery } from './recordings.ts'
import type { Route } from './route.ts'

/** The endpoints of what was recorded of sessions. */
export const recordingRoutes = {
  listRecordings: {
    method: 'GET',
    path: '/v2/browser/{id}/recordings',
    aliases: ['/v2/interact/{id}/recordings'],
    summary: 'List what was recorded of an ended session, with the addresses to read it at',
    params: sessionParams,
    response: listRecordingsResponse,
  },
  readRecording: {
    method: 'GET',
    path: '/v2/browser/{id}/recordings/{name}',
    aliases: ['/v2/interact/{id}/recordings/{name}'],
    summary: 'Read a recording of an ended session; player.html plays all of them together',
    params: recordingParams,
    query: recordingQuery,
    response: z.string(),
    streams: 'response',
  },
} as const satisfies Record<string, Route>
