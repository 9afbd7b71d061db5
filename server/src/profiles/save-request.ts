/** What a profile keeps beside files, as text. */
export type Extras = string

/** What is saved, and what wrote it. */
export interface SaveRequest {
  readonly userDataDir: string
  readonly extras: Extras
  /** Such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  readonly sessionId: string | undefined
}
