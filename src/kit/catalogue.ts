/** What a code means on the wire (`status`) and what its receiver can do about it (`hint`). */
export interface CatalogueEntry {
  readonly status: number
  readonly hint: string | undefined
}

/** Every error code of the client, the server and the CLI, in one table. Statuses follow the API; 0 = never crosses the wire. */
export const catalogue = {
  // What the caller sent
  BAD_REQUEST: { status: 400, hint: 'Correct the request. /docs describes every field of it.' },
  BAD_REQUEST_INVALID_JSON: { status: 400, hint: 'Send a JSON body with `Content-Type: application/json`.' },
  UNAUTHORIZED: { status: 401, hint: 'Send `Authorization: Bearer <API key>`. `bowline keys create` makes a key.' },
  INSUFFICIENT_CREDITS: {
    status: 402,
    hint: 'Ask for less, such as a shorter `ttl`, or raise the credits of the team.',
  },
  FORBIDDEN: { status: 403, hint: 'The key belongs to another team, or lacks the right to do this.' },
  ROUTE_NOT_FOUND: { status: 404, hint: 'See the list of routes at /openapi.json.' },
  SESSION_NOT_FOUND: {
    status: 404,
    hint: 'Check the id and, if the address has one, its token. `bowline sessions list` shows the sessions of your team.',
  },
  KEY_NOT_FOUND: { status: 404, hint: 'Check the id. `bowline keys list` shows the keys of your team.' },
  TEAM_NOT_FOUND: { status: 404, hint: 'Check the name or id. `bowline teams list` shows the teams.' },
  PROFILE_NOT_FOUND: { status: 404, hint: 'Check the name. `bowline profiles list` shows the profiles of your team.' },
  FILE_NOT_FOUND: {
    status: 404,
    hint: 'Check the name. `bowline sessions files list ID` shows the files of a session.',
  },
  FILE_INCOMPLETE: { status: 409, hint: 'Wait until `complete` is true in the list of files.' },
  EXTRACT_NOT_FOUND: {
    status: 404,
    hint: 'An extraction can be read until 24 hours after its end, and only by its own team.',
  },
  SCRAPE_NOT_FOUND: { status: 404, hint: 'A scrape can be read for 24 hours, and only by its own team.' },
  DELIVERY_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. `bowline webhooks list` shows the deliveries of your team; they are kept for seven days.',
  },
  DELIVERY_GONE: { status: 410, hint: 'The body of a delivery is kept for a day after it arrived.' },
  MONITOR_NOT_FOUND: { status: 404, hint: 'Check the id. `bowline monitors list` shows the monitors of your team.' },
  CHECK_NOT_FOUND: { status: 404, hint: 'Check the id. Checks are kept for `retentionDays` of their monitor.' },
  MONITOR_PAUSED: { status: 409, hint: 'Set `status: "active"`, or run `bowline monitors resume ID`.' },
  CHECK_RUNNING: { status: 409, hint: 'Wait for the check named in `checkId`: of a monitor, one runs at a time.' },
  MAIL_UNAVAILABLE: { status: 400, hint: 'Start the server with `--smtp-url` and `--mail-from`, or use a webhook.' },
  MAIL_TOKEN_INVALID: { status: 404, hint: 'Use the link of the newest mail.' },
  SCRAPE_NO_CACHED_DATA: { status: 404, hint: 'Leave `minAge` out to scrape the page anew.' },
  SCRAPE_LOCKDOWN_CACHE_MISS: { status: 404, hint: 'Leave `lockdown` out to scrape the page anew.' },
  SCRAPE_TIMEOUT: { status: 408, hint: 'Raise `timeout`, or ask for less with fewer actions or formats.' },
  FORMAT_UNAVAILABLE: {
    status: 400,
    hint: 'Start the server with `--llm-url` and `--llm-model`: any service that speaks the OpenAI chat protocol will do.',
  },
  SEARCH_TIMEOUT: { status: 408, hint: 'Raise `timeout`, lower `limit`, or scrape less of each result.' },
  JOB_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. A job can be read until 24 hours after its end, and only by its own team.',
  },
  MAP_TIMEOUT: { status: 408, hint: 'Raise `timeout`, or lower `limit`.' },
  CONFLICT: { status: 409, hint: undefined },
  IDEMPOTENCY_KEY_REUSED: { status: 409, hint: 'Use a new `x-idempotency-key` for a different request.' },
  PROFILE_LOCKED: {
    status: 409,
    hint: 'Use `saveChanges: false` to read the last saved version, or retry when the other session has ended.',
  },
  PROFILE_LEASE_LOST: { status: 409, hint: 'Another session has taken the profile over; what it saves counts.' },
  SESSION_ENDED: { status: 410, hint: 'Create a new session.' },
  PAYLOAD_TOO_LARGE: { status: 413, hint: 'Send less: the message names the limit of the route.' },
  PROFILE_TOO_LARGE: { status: 413, hint: 'Clear what the profile need not keep, or raise `--profile-quota`.' },
  FILE_QUOTA_EXCEEDED: {
    status: 413,
    hint: 'Delete files of the session. The operator of the server can raise `--max-files` and `--max-files-mb`.',
  },
  CONCURRENCY_LIMIT: { status: 429, hint: 'Delete a session, or retry after the seconds in `Retry-After`.' },
  PDF_INVALID: {
    status: 422,
    hint: 'Open the address in a viewer: the file there is broken, empty or of another kind.',
  },
  PDF_ENCRYPTED: { status: 422, hint: 'Publish the file without a password; there is no option to send one.' },
  RATE_LIMITED: { status: 429, hint: 'Retry after the seconds in `Retry-After`.' },

  // What the server could not do
  UNKNOWN_ERROR: { status: 500, hint: 'The server log has the details under this request id.' },
  PROFILE_UNREADABLE: { status: 500, hint: 'Roll back to another version: `bowline profiles rollback NAME VERSION`.' },
  PROFILE_STORAGE_UNAVAILABLE: {
    status: 503,
    hint: 'The profile itself is intact. Retry after the seconds in `Retry-After`; if it stays so, check `--blobs` and the log of the server.',
  },
  NOT_IMPLEMENTED: { status: 501, hint: undefined },
  BROWSER_START_FAILED: { status: 502, hint: 'Run `bowline doctor` on the server.' },
  BROWSER_NOT_FOUND: {
    status: 503,
    hint: 'Install one: `apt-get install chromium-headless-shell` on Debian, or name one with `--browser PATH`.',
  },
  DRAINING: { status: 503, hint: 'The server is shutting down. Retry after the seconds in `Retry-After`.' },
  STORE_UNAVAILABLE: {
    status: 503,
    hint: 'Retry after the seconds in `Retry-After`. `/readyz` tells when the database is back.',
  },
  CDP_FAILED: { status: 502, hint: undefined },
  NODE_UNREACHABLE: {
    status: 502,
    hint: 'The machine that holds this session did not answer. Retry in a few seconds.',
  },
  EGRESS_REFUSED: {
    status: 403,
    hint: 'Only public addresses can be reached. The operator of the server can open others with `--allow ADDRESS`.',
  },
  EGRESS_FAILED: { status: 502, hint: undefined },
  SEARCH_FAILED: { status: 502, hint: 'Check the search service that the server is set up with, and its log.' },
  // The status is 200 because clients of this API expect it so.
  SCRAPE_DNS_RESOLUTION_ERROR: { status: 200, hint: 'Check the host name of the address.' },
  SCRAPE_SSL_ERROR: { status: 500, hint: 'Set `skipTlsVerification: true` to scrape the page all the same.' },
  SCRAPE_SITE_ERROR: { status: 500, hint: undefined },
  SCRAPE_SITE_BUSY: { status: 503, hint: 'The site asks to be left alone for a while. Retry later.' },
  SCRAPE_ROBOTS_BLOCKED: { status: 403, hint: 'The robots.txt of the site forbids this page.' },
  SCRAPE_ACTION_ERROR: { status: 500, hint: 'Check the selector against the page, and wait for what comes late.' },
  SCRAPE_UNSUPPORTED_FILE_ERROR: { status: 500, hint: 'HTML, text, JSON, XML, images and PDFs can be scraped.' },
  EXTRACTION_FAILED: {
    status: 500,
    hint: 'The log of the language model may say more. Retry, or simplify the schema.',
  },
  PACKAGE_MISSING: {
    status: 501,
    hint: 'Run the command where Bowline is installed, on the machine of the server, and restart the server.',
  },
  PDF_FAILED: { status: 500, hint: 'The PDF reader gave up. Retry, or ask for fewer pages with `maxPages`.' },

  // What stops a start
  CONFIG_INVALID: { status: 0, hint: 'See `bowline serve --help`.' },
  ISOLATION_MISSING: {
    status: 0,
    hint: 'Install bubblewrap and allow user namespaces, or choose another `--isolation`. `bowline doctor` tells more.',
  },
  DATA_DIR_IN_USE: { status: 0, hint: 'Stop the other server, or give this one its own `--data-dir`.' },
  DATA_DIR_UNUSABLE: {
    status: 0,
    hint: 'Name a directory that this user can write to and that has room, with `--data-dir` or `--blobs`.',
  },
  PROFILE_KEY_MISSING: {
    status: 0,
    hint: 'Restore the key from a backup, or set it with `--profile-key`. To give these profiles up, set `--profile-key` to a new key from `openssl rand -hex 32`.',
  },
  LISTEN_FAILED: { status: 0, hint: 'Name another address with `--host` or another port with `--port`.' },
  STORE_FAILED: { status: 0, hint: undefined },

  // What the command line met
  USAGE_INVALID: { status: 0, hint: 'Add --help for the options.' },
  LOCAL_FILE_FAILED: { status: 0, hint: 'Check the path, its permissions and the space left.' },

  // What the client met
  EXTRACT_FAILED: { status: 0, hint: 'Read the message: it has the reason of the server.' },
  CONNECTION_FAILED: { status: 0, hint: 'Check the base URL, and that the server is up (`GET /livez`).' },
  RESPONSE_INVALID: { status: 0, hint: 'Check that the base URL points at a service that speaks this API.' },
  REQUEST_FAILED: { status: 0, hint: undefined },
  TIMEOUT: { status: 0, hint: 'Raise `timeoutMs`.' },
  ABORTED: { status: 0, hint: undefined },
  DRIVER_MISSING: { status: 0, hint: undefined },
  DRIVER_FAILED: { status: 0, hint: undefined },
  SERVER_MISSING: { status: 0, hint: 'npm install bowline-server' },
  DELETE_FAILED: {
    status: 0,
    hint: 'The session ends by itself when its TTL is over. `bowline sessions reap` retries.',
  },
  CHECKPOINT_INVALID: { status: 0, hint: 'Name another file: a new one is made where none is.' },
  JOB_FAILED: { status: 0, hint: 'What it has scraped can still be read. Start another job for the rest.' },
  COMMAND_FAILED: { status: 0, hint: undefined },
} as const satisfies Record<string, CatalogueEntry>

/** A code from the catalogue. */
export type ErrorCode = keyof typeof catalogue
