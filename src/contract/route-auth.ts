/**
 * How the caller of a route is authorized, before its handler runs:
 *
 * - `none`: without credentials
 * - `key`: by an API key
 * - `optionalKey`: without credentials; a valid API key shows more
 * - `adminKeyOrMetricsToken`: by an admin key, or the token of `--metrics-token`
 * - `controlToken`: by the token of a session's CDP URL
 * - `keyOrControlToken`: by an API key of the session's team, or the token of its CDP URL
 * - `keyOrRecordingToken`: by an API key of the session's team, or the token of a recording's URL
 * - `viewerToken`: by the token of a live view URL
 * - `scrapeFileToken`: by the token in the URL of a scrape's file
 * - `mailToken`: by the token in the link of an email
 * - `keyAfterHandshake`: by an API key, once the WebSocket is open, because its errors are frames
 */
export type RouteAuth =
  | 'none'
  | 'key'
  | 'optionalKey'
  | 'adminKeyOrMetricsToken'
  | 'controlToken'
  | 'keyOrControlToken'
  | 'keyOrRecordingToken'
  | 'viewerToken'
  | 'scrapeFileToken'
  | 'mailToken'
  | 'keyAfterHandshake'
