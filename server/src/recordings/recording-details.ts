import { z } from 'zod'
import { artifactKind, type ArtifactRow } from '../artifacts/artifact-queries.ts'

/** Name of the page that plays all recordings of a session. */
export const playerName = 'player.html'

const recordingDetails = z.object({
  contentType: z.string(),
  /** When it begins, in milliseconds since the epoch. */
  startedAtMs: z.number(),
})

/** Recordings among the artifacts of a session. */
export const recordingKind = artifactKind('recording', recordingDetails)

/** A stored recording. */
export type RecordingRow = ArtifactRow<z.output<typeof recordingDetails>>
