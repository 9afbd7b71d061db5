import type { ArtifactRow } from '../store/artifacts.ts'

/** Name of the page that plays the recordings of a session together. */
export const playerName = 'player.html'

/** What is told of a recording beside its bytes. */
export interface RecordingDetails {
  readonly contentType: string
  /** When it begins, in milliseconds since the epoch. */
  readonly startedAtMs: number
}

/** What is told of a stored recording beside its bytes. */
export function detailsOf({ details }: ArtifactRow): RecordingDetails {
  return JSON.parse(details) as RecordingDetails
}
