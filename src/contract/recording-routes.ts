import { z } from 'zod'
import { sessionParams } from './browser.ts'
import { listRecordingsResponse, recordingParams, recordingQuery, recordingTypes } from './recordings.ts'
import { paths } from './paths.ts'
import type { Route } from './route.ts'

/** Routes of recordings. */
export const recordingRoutes = {
  listRecordings: {
    ...paths.listRecordings,
    tag: 'Sessions',
    rateLimit: 'replay',
    sessionNode: 'required',
    summary: 'List the recordings of an ended session and their URLs',
    params: sessionParams,
    response: listRecordingsResponse,
  },
  readRecording: {
    ...paths.readRecording,
    tag: 'Sessions',
    rateLimit: 'unlimited',
    auth: 'keyOrRecordingToken',
    sessionNode: 'required',
    summary: 'Download a recording of an ended session; player.html plays all of them',
    params: recordingParams,
    query: recordingQuery,
    response: z.string(),
    streams: 'response',
    contentTypes: recordingTypes,
  },
} as const satisfies Record<string, Route>
