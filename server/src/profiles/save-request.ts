/** Data of a profile besides its files, as JSON. */
export type Extras = string

/** A profile to save. */
export interface SaveRequest {
  readonly userDataDir: string
  readonly extras: Extras
  /** Version of the browser that wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  readonly sessionId: string | undefined
}
