/** Session cookies of a profile, which are not in its files, as `{ "cookies": [...] }`. */
export type SessionCookiesJson = string

/** A profile to save. */
export interface SaveRequest {
  readonly userDataDir: string
  readonly sessionCookiesJson: SessionCookiesJson
  /** Version of the browser that wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  readonly sessionId: string | undefined
}
