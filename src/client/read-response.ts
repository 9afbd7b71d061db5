import type { ErrorCode } from '../kit/catalogue.ts'
import { BowlineError, type ErrorFacts } from '../kit/errors.ts'
import { failure } from '../contract/failure.ts'
import { isRefusal } from '../contract/failure-body.ts'
import { isError } from '../kit/is-error.ts'
import { parseJson } from '../kit/parse-json.ts'

/**
 * Returns a successful response with a JSON body. Rejects with a BowlineError for every other
 * response. Removes the API key from the body.
 */
export async function readResponse(request: Request, response: Response, apiKey: string): Promise<Response> {
  const text = (await response.text()).replaceAll(apiKey, '[API key]')
  const requestId = response.headers.get('x-request-id') ?? request.headers.get('x-request-id') ?? undefined
  const facts: ErrorFacts = { status: response.status, requestId, ...retryAfter(response) }
  const body = isEmptySuccess(request, response, text) ? emptyBody(response) : parseJson(text)
  if (body === undefined) throw notJson(request, response, text, facts)
  if (!response.ok || isRefusal(body)) throw refused(response, body, facts)
  // A 204 may have no body, but callers parse one.
  return new Response(text.trim() || JSON.stringify(body), {
    status: response.status === 204 ? 200 : response.status,
    headers: { 'x-request-id': requestId ?? '' },
  })
}

/** Whether a deletion succeeded without a body, as some services do. */
function isEmptySuccess(request: Request, response: Response, text: string): boolean {
  return request.method === 'DELETE' && response.ok && text.trim() === ''
}

/** Replaces the empty body of a deletion. 202 means that the deletion has only been accepted. */
function emptyBody({ status }: Response): object {
  return { success: true, ...(status === 202 && { status: 'accepted' }) }
}

/** Creates RESPONSE_INVALID with the first 200 characters of the body. */
export function responseInvalid(message: string, text: string, facts: ErrorFacts): BowlineError {
  return new BowlineError('RESPONSE_INVALID', `${message}: ${JSON.stringify(text.slice(0, 200))}`, facts)
}

/**
 * Creates CONNECTION_FAILED for a request without a response. Omits the query of the URL and
 * `secret`.
 */
export function connectionFailed(request: Request, error: unknown, secret: string): BowlineError {
  const url = new URL(request.url)
  const inner = isError(error) && isError(error.cause) ? error.cause : error
  const lacksTls = isError(inner) && 'code' in inner && inner.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
  const why = lacksTls ? 'the server does not speak TLS' : reasonOf(inner, url)
  return new BowlineError(
    'CONNECTION_FAILED',
    `${request.method} ${url.origin}${url.pathname} failed: ${secret === '' ? why : why.replaceAll(secret, '[secret]')}`,
    {
      cause: error,
      hint: lacksTls ? `Use http://${url.host} instead of ${url.origin}.` : undefined,
      requestId: request.headers.get('x-request-id') ?? undefined,
    },
  )
}

function reasonOf(error: unknown, { port }: URL): string {
  if (!isError(error)) return String(error)
  // `fetch` refuses the ports of other protocols, such as 25 and 6000.
  if (error.message === 'bad port')
    return `port ${port} is blocked by \`fetch\`, which reserves it for another protocol`
  return error.message || error.name
}

function notJson(request: Request, response: Response, text: string, facts: ErrorFacts): BowlineError {
  return responseInvalid(
    `${request.method} ${new URL(request.url).pathname} returned ${response.status} with a body that is not JSON`,
    text,
    facts,
  )
}

/** Start of messages that repeats the code of the error. */
const statusPrefix = /^(?:Bad Request|Unauthorized): (?=.)/

/** Converts the failure body of a service to an error. */
export function refused(response: Response, body: unknown, facts: ErrorFacts): BowlineError {
  const parsed = failure.safeParse(body)
  if (!parsed.success) {
    return responseInvalid(`The service returned ${response.status}`, JSON.stringify(body), facts)
  }
  const { error, code, details, hint } = parsed.data
  return new BowlineError(code ?? codeOfStatus(response.status), error.replace(statusPrefix, ''), {
    ...facts,
    details,
    hint,
    requestId: parsed.data.requestId ?? facts.requestId,
  })
}

function retryAfter(response: Response): Pick<ErrorFacts, 'retryAfterSeconds'> {
  const header = response.headers.get('retry-after')
  if (header === null) return {}
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, seconds) } : {}
}

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'INSUFFICIENT_CREDITS',
  403: 'FORBIDDEN',
  409: 'CONFLICT',
  410: 'SESSION_ENDED',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
}

function codeOfStatus(status: number): ErrorCode {
  return codes[status] ?? 'REQUEST_FAILED'
}
