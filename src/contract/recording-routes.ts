import { z } from 'zod'
import { sessionParams } from './browser.ts'
import { listRecordingsResponse, recordingParams, recordingQuery } from './recordings.ts'
import type { Route } from './route.ts'

/** Routes of recordings. */
export const recordingRoutes = {
  listRecordings: {
    method: 'GET',
    path: '/v2/browser/{id}/recordings',
    aliases: ['/v2/interact/{id}/recordings'],
    summary: 'List the recordings of an ended session and their URLs',
    params: sessionParams,
    response: listRecordingsResponse,
  },
  readRecording: {
    method: 'GET',
    path: '/v2/browser/{id}/recordings/{name}',
    aliases: ['/v2/interact/{id}/recordings/{name}'],
    summary: 'Download a recording of an ended session; player.html plays all of them together',
    params: recordingParams,
    query: recordingQuery,
    response: z.string(),
    streams: 'response',
  },
} as const satisfies Record<string, Route>
