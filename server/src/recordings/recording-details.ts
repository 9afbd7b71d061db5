import type { ArtifactRow } from '../artifacts/artifact-queries.ts'

/** Name of the page that plays all recordings of a session. */
export const playerName = 'player.html'

/** Metadata of a recording. */
export interface RecordingDetails {
  readonly contentType: string
  /** When it begins, in milliseconds since the epoch. */
  readonly startedAtMs: number
}

/** Reads the metadata of a stored recording. */
export function detailsOf({ details }: ArtifactRow): RecordingDetails {
  return JSON.parse(details) as RecordingDetails
}
