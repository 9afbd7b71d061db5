/** HTTP status and hint of an error code. */
export interface CatalogueEntry {
  readonly status: number
  readonly hint: string | undefined
}

/**
 * All error codes of the client, the server and the CLI. Status 0: the error is never sent as a
 * response.
 */
export const catalogue = {
  // Invalid requests
  BAD_REQUEST: { status: 400, hint: 'Correct the request. /openapi.json describes every field.' },
  BAD_REQUEST_INVALID_JSON: { status: 400, hint: 'Send a JSON body with `Content-Type: application/json`.' },
  UNAUTHORIZED: {
    status: 401,
    hint: 'Set a valid API key: `BOWLINE_API_KEY` or `apiKey` for the client and the command line, `Authorization: Bearer <API key>` over HTTP. `bowline keys create` creates one.',
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    hint: 'Request less, for example with a shorter `ttl`, or add credits to the team.',
  },
  FORBIDDEN: { status: 403, hint: 'The API key or token does not allow this.' },
  ROUTE_NOT_FOUND: { status: 404, hint: 'See the list of routes at /openapi.json.' },
  SESSION_NOT_FOUND: {
    status: 404,
    hint: 'Check the id and, if the URL has one, its token. `bowline sessions list` shows the sessions of your team.',
  },
  TARGET_NOT_FOUND: {
    status: 404,
    hint: 'Check the id: `/json/list` below the path of the CDP URL lists the targets. The page may have been closed.',
  },
  KEY_NOT_FOUND: { status: 404, hint: 'Check the id. `bowline keys list` shows the keys of your team.' },
  TEAM_NOT_FOUND: { status: 404, hint: 'Check the name or id. `bowline teams list` shows the teams.' },
  PROFILE_NOT_FOUND: { status: 404, hint: 'Check the name. `bowline profiles list` shows the profiles of your team.' },
  EXTENSION_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. `bowline extensions list` shows the extensions of your team.',
  },
  EXTENSION_INVALID: { status: 400, hint: 'Correct the extension and upload it again.' },
  EXTENSION_QUOTA_EXCEEDED: {
    status: 409,
    hint: 'Delete an extension. The operator of the server can raise `--max-extensions`.',
  },
  SECRET_NOT_FOUND: { status: 404, hint: 'Check the name. `bowline secrets list` shows the secrets of your team.' },
  SECRET_INVALID: { status: 400, hint: 'Correct the value, the kind or the origins, and set the secret again.' },
  SECRET_QUOTA_EXCEEDED: { status: 409, hint: 'Delete a secret with `bowline secrets delete NAME`.' },
  SECRET_REFUSED: {
    status: 403,
    hint: 'Focus an editable field on a page of an origin of the secret. `bowline secrets list` shows names and origins.',
  },
  SECRET_UNREADABLE: { status: 500, hint: 'Set the secret again, or restore the key of the server (`--profile-key`).' },
  FILE_NOT_FOUND: {
    status: 404,
    hint: 'Check the name. `bowline sessions files list ID` shows the files of a session.',
  },
  HANDOFF_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. A session keeps its last 20 hand-offs; its `handoff` is the open one.',
  },
  HANDOFF_OPEN: { status: 409, hint: 'Wait for the end of the open hand-off, or end it.' },
  FILE_INCOMPLETE: { status: 409, hint: 'Wait until the list of files shows `complete: true`.' },
  EXTRACT_NOT_FOUND: {
    status: 404,
    hint: 'Extractions are available for 24 hours after their end, and only to their team.',
  },
  AGENT_NOT_FOUND: {
    status: 404,
    hint: 'Agents are available for 24 hours after their end, and only to their team.',
  },
  SCRAPE_NOT_FOUND: { status: 404, hint: 'Scrapes that succeeded are available for 24 hours, and only to their team.' },
  DELIVERY_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. `bowline webhooks list` shows the deliveries of your team; they are kept for seven days.',
  },
  DELIVERY_GONE: { status: 410, hint: 'The payload of a delivery is stored for one day after it was delivered.' },
  MONITOR_NOT_FOUND: { status: 404, hint: 'Check the id. `bowline monitors list` shows the monitors of your team.' },
  CHECK_NOT_FOUND: { status: 404, hint: 'Check the id. Checks are kept for `retentionDays` of their monitor.' },
  MONITOR_QUOTA_EXCEEDED: {
    status: 409,
    hint: 'Delete a monitor. The operator of the server can raise `--max-monitors`.',
  },
  MONITOR_PAUSED: { status: 409, hint: 'Set `status: "active"`, or run `bowline monitors resume ID`.' },
  CHECK_RUNNING: { status: 409, hint: 'Wait for the check in `checkId`: a monitor runs one check at a time.' },
  MAIL_UNAVAILABLE: { status: 400, hint: 'Start the server with `--smtp-url` and `--mail-from`, or use a webhook.' },
  MAIL_TOKEN_INVALID: { status: 404, hint: 'Use the link in the latest email.' },
  SCRAPE_NO_CACHED_DATA: { status: 404, hint: 'Omit `minAge` to scrape the page again.' },
  SCRAPE_LOCKDOWN_CACHE_MISS: { status: 404, hint: 'Omit `lockdown` to scrape the page again.' },
  SCRAPE_TIMEOUT: { status: 408, hint: 'Raise `timeout`, or request fewer actions or formats.' },
  FORMAT_UNAVAILABLE: {
    status: 400,
    hint: 'Start the server with `--llm-url` and `--llm-model`: any service with the OpenAI chat API works.',
  },
  SEARCH_TIMEOUT: { status: 408, hint: 'Raise `timeout`, lower `limit`, or request fewer formats per result.' },
  JOB_NOT_FOUND: {
    status: 404,
    hint: 'Check the id. Jobs are available for 24 hours after their end, and only to their team.',
  },
  MAP_TIMEOUT: { status: 408, hint: 'Check the site, and raise `timeout`.' },
  CONFLICT: {
    status: 409,
    hint: 'Read the current state first: the request conflicts with it.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    hint: 'Use a new idempotency key for a different request: the header `x-idempotency-key`, the option `idempotencyKey` or the flag `--idempotency-key`.',
  },
  PROFILE_LOCKED: {
    status: 409,
    hint: 'Retry when the other session has ended, or set `wait` (seconds) for a new session. With `saveChanges: false`, it starts from the last saved version without the lock.',
  },
  PROFILE_LEASE_LOST: { status: 409, hint: 'Another session has taken over the profile. Only its changes are saved.' },
  SESSION_ENDED: { status: 410, hint: 'Create a new session.' },
  PAYLOAD_TOO_LARGE: { status: 413, hint: 'Send a smaller body. The message contains the limit of the route.' },
  PROFILE_TOO_LARGE: { status: 413, hint: 'Clear unneeded data of the profile, or raise `--profile-quota`.' },
  FILE_QUOTA_EXCEEDED: {
    status: 413,
    hint: 'Delete files of the session. The operator of the server can raise `--max-files` and `--max-files-mb`.',
  },
  CONCURRENCY_LIMIT: { status: 429, hint: 'Delete a session, or retry after the seconds in `Retry-After`.' },
  PARSE_UPLOAD_UNPARSED_LIMIT_REACHED: { status: 429, hint: 'Parse the uploaded files, or wait 24 hours.' },
  NOT_FOUND: { status: 404, hint: 'Create a new URL with POST /v2/parse/upload-url.' },
  UNSUPPORTED_FILE_TYPE: { status: 400, hint: 'GET /v2/parse/formats lists the formats that this server reads.' },
  PARSE_UNSUPPORTED_OPTIONS: { status: 400, hint: 'Remove the option: a file is not loaded in a browser.' },
  OCR_UNAVAILABLE: {
    status: 400,
    hint: 'Install Tesseract on the server: `apt-get install tesseract-ocr` on Debian. Or do without OCR.',
  },
  DOCUMENT_INVALID: {
    status: 422,
    hint: 'The file is corrupt, empty or of another format. Open it in its program, and save it again.',
  },
  DOCUMENT_ENCRYPTED: { status: 422, hint: 'Save the file without a password. Passwords are not supported.' },
  DOCUMENT_TOO_LARGE: { status: 422, hint: 'Split the document into smaller ones.' },
  PDF_INVALID: {
    status: 422,
    hint: 'The file is corrupt, empty or not a PDF. Open the URL in a viewer to check it.',
  },
  PDF_ENCRYPTED: { status: 422, hint: 'Publish the file without a password. Passwords are not supported.' },
  RATE_LIMITED: { status: 429, hint: 'Retry after the seconds in `Retry-After`.' },

  // Server errors
  UNKNOWN_ERROR: { status: 500, hint: 'Search the server log for this request id.' },
  STORED_VALUE_INVALID: {
    status: 500,
    hint: 'Another version of Bowline wrote this row of the database, or it was changed by hand. Correct or delete it.',
  },
  PROFILE_UNREADABLE: { status: 500, hint: 'Roll back to another version: `bowline profiles rollback NAME VERSION`.' },
  PROFILE_STORAGE_UNAVAILABLE: {
    status: 503,
    hint: 'The profile itself is intact. Retry after the seconds in `Retry-After`. If the error persists, check `--blobs` and the server log.',
  },
  NOT_IMPLEMENTED: { status: 501, hint: 'Do without the feature in the message, or use a server that has it.' },
  BROWSER_START_FAILED: { status: 502, hint: 'Run `bowline doctor` on the server.' },
  BROWSER_NOT_FOUND: {
    status: 503,
    hint: 'Install one: `apt-get install chromium-headless-shell` on Debian, or set `--browser PATH`.',
  },
  DRAINING: { status: 503, hint: 'The server is shutting down. Retry after the seconds in `Retry-After`.' },
  SERVER_BUSY: { status: 503, hint: 'Retry after the seconds in `Retry-After`.' },
  STORE_UNAVAILABLE: {
    status: 503,
    hint: 'Retry after the seconds in `Retry-After`. `/readyz` shows whether the database is available.',
  },
  EXECUTION_UNAVAILABLE: {
    status: 501,
    hint: 'Ask the operator of the server to install it. Code runs in bubblewrap, or without it with `--isolation none`.',
  },
  EXECUTION_BUSY: { status: 409, hint: 'Wait for the calls in progress: each language runs one call at a time.' },
  EXECUTION_FAILED: { status: 502, hint: 'Retry. If the error persists, check the isolation with `bowline doctor`.' },
  CDP_FAILED: {
    status: 502,
    hint: 'Retry. If the command is yours, check its parameters, and that its page is still open.',
  },
  NODE_UNREACHABLE: {
    status: 502,
    hint: 'The server that runs this session did not respond. Retry after the seconds in `Retry-After`.',
  },
  EGRESS_REFUSED: {
    status: 403,
    hint: 'Only public addresses are allowed. The operator of the server can allow others with `--allow ADDRESS`.',
  },
  EGRESS_FAILED: { status: 502, hint: 'Check the host name and the port of the URL, and retry.' },
  SEARCH_FAILED: { status: 502, hint: 'Check the search provider configured on the server, and its log.' },
  // Status 200, because public clients of this API expect it.
  SCRAPE_DNS_RESOLUTION_ERROR: { status: 200, hint: 'Check the host name of the URL.' },
  SCRAPE_SSL_ERROR: { status: 500, hint: 'Set `skipTlsVerification: true` to scrape the page anyway.' },
  SCRAPE_SITE_ERROR: {
    status: 500,
    hint: 'See the message for the cause. Check the URL in a browser, or retry later.',
  },
  SCRAPE_SITE_BUSY: { status: 503, hint: 'The site is rate limiting or overloaded (429 or 503). Retry later.' },
  SCRAPE_ROBOTS_BLOCKED: { status: 403, hint: 'The robots.txt of the site disallows this page.' },
  SCRAPE_OUT_OF_SCOPE: {
    status: 403,
    hint: 'The page redirects to one that the crawl excludes. Change `allowExternalLinks`, `crawlEntireDomain` or the paths.',
  },
  SCRAPE_ACTION_ERROR: {
    status: 500,
    hint: 'Check the selector against the page, and add a `wait` action for elements that load late.',
  },
  SCRAPE_UNSUPPORTED_FILE_ERROR: {
    status: 500,
    hint: 'HTML, text, JSON, XML, images, PDFs and office documents can be scraped.',
  },
  EXTRACTION_FAILED: {
    status: 500,
    hint: 'Check the log of the language model. Retry, or simplify the schema.',
  },
  LANGUAGE_MODEL_FAILED: {
    status: 502,
    hint: 'Check the log of the language model, and that it supports tools. Retry.',
  },
  PACKAGE_MISSING: {
    status: 501,
    hint: 'Run the command in the folder where the server is installed. A running server needs no restart, except for its page `/docs`.',
  },
  PDF_FAILED: { status: 500, hint: 'Retry, or request fewer pages with `maxPages`.' },

  // Start of the server
  CONFIG_INVALID: { status: 0, hint: 'See `bowline serve --help`.' },
  ISOLATION_MISSING: {
    status: 0,
    hint: 'Install bubblewrap and allow user namespaces, or choose another `--isolation`. `bowline doctor` shows details.',
  },
  DATA_DIR_IN_USE: { status: 0, hint: 'Stop the other server, or give this one its own `--data-dir`.' },
  DATA_DIR_UNUSABLE: {
    status: 0,
    hint: 'Set `--data-dir` or `--blobs` to a writable directory with free space.',
  },
  PROFILE_KEY_MISSING: {
    status: 0,
    hint: 'Restore the key from a backup, or set it with `--profile-key`. To discard these profiles and secrets, set `--profile-key` to a new key from `openssl rand -hex 32`.',
  },
  LISTEN_FAILED: { status: 0, hint: 'Set another address with `--host` or another port with `--port`.' },
  STORE_FAILED: { status: 0, hint: 'Run `bowline doctor` on the server with its settings: it checks the database.' },
  BACKUP_INVALID: { status: 0, hint: 'Choose another backup, or make a new one.' },

  // Command line
  USAGE_INVALID: { status: 0, hint: 'Run the command with --help to list its options.' },
  LOCAL_FILE_FAILED: { status: 0, hint: 'Check the path, its permissions and the free disk space.' },

  // Client
  AGENT_FAILED: { status: 0, hint: 'The message contains the reason given by the server.' },
  EXTRACT_FAILED: { status: 0, hint: 'The message contains the reason given by the server.' },
  CONNECTION_FAILED: { status: 0, hint: 'Check the base URL, and that the server is running (`GET /livez`).' },
  RESPONSE_INVALID: { status: 0, hint: 'Check that the base URL points to a service with this API.' },
  REQUEST_FAILED: {
    status: 0,
    hint: 'Check the base URL, and the reverse proxy in between: the status is not one of this API.',
  },
  CONNECTION_LOST: {
    status: 0,
    hint: 'Create a new session. If its lifetime was over, raise `ttl` or `activityTtl`.',
  },
  TIMEOUT: { status: 0, hint: 'Raise `timeoutMs`.' },
  ABORTED: { status: 0, hint: undefined },
  DRIVER_MISSING: {
    status: 0,
    hint: 'Install it next to `bowline`: `npm install playwright-core` or `npm install puppeteer-core`.',
  },
  DRIVER_FAILED: {
    status: 0,
    hint: 'Create a new session. If the error persists, update Playwright or Puppeteer.',
  },
  SERVER_MISSING: { status: 0, hint: 'Run `npm run package` in a clone, and install both tarballs.' },
  DELETE_FAILED: {
    status: 0,
    hint: 'The session ends when its TTL expires. `bowline sessions reap` retries the deletion.',
  },
  CHECKPOINT_INVALID: { status: 0, hint: 'Use another path. The file is created if it does not exist.' },
  JOB_FAILED: { status: 0, hint: 'Documents that were scraped remain readable. Start another job for the rest.' },
  COMMAND_FAILED: { status: 0, hint: 'Check the name of the command, `PATH`, and that the file is executable.' },
} as const satisfies Record<string, CatalogueEntry>

/**
 * A code from the catalogue.
 *
 * @example
 * ```ts
 * import { Bowline, isBowlineError, type ErrorCode } from 'bowline'
 *
 * const expected: readonly ErrorCode[] = ['SCRAPE_TIMEOUT', 'CONNECTION_FAILED']
 * try {
 *   await new Bowline().scrape('https://example.com')
 * } catch (error) {
 *   if (!isBowlineError(error) || !expected.some((code) => code === error.code)) throw error
 *   console.warn(error.code, error.message)
 * }
 * ```
 */
export type ErrorCode = keyof typeof catalogue
