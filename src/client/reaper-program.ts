/**
 * Reaper program: reads deletion requests from standard input and deletes the remaining sessions
 * when the input ends. Its parent holds the other end of the pipe, which the kernel closes however
 * the parent dies.
 *
 * With `--once` it gives up after 4 s and prints one result per line. Otherwise it retries for up
 * to 60 s. It imports as little as possible, since one runs for every process that has a session.
 *
 * @module
 */
import { createInterface } from 'node:readline'
import type { DeletionRequest, ReaperLine, ReaperResult } from './reaper-protocol.ts'
import { isFailureBody } from '../contract/failure-body.ts'
import { messageOf } from '../kit/message-of.ts'
import { parseJson, parseJsonObject } from '../kit/parse-json.ts'
import { isAliveStatus, isGoneStatus, mayNeedIdInBody, parseFigure } from './session-state.ts'

const isOnce = process.argv.includes('--once')
const limitMs = isOnce ? 4000 : 60_000
const attemptMs = isOnce ? 2000 : 10_000
/** Time limit for reading a bill, in milliseconds. */
const readMs = 1000
/**
 * How long to retry a session whose creation was under way, in milliseconds: a server needs seconds
 * to start a browser.
 */
const pendingCreationMs = isOnce ? 1500 : 15_000

async function main(): Promise<void> {
  // It exits when its work is done. A signal to the whole process group must not end it earlier.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const deletionRequests = new Map<string, DeletionRequest>()
  for await (const line of createInterface({ input: process.stdin })) {
    const { add, remove } = parseLine(line)
    if (add !== undefined) deletionRequests.set(add.id, add)
    if (remove !== undefined) deletionRequests.delete(remove)
  }
  const deletions = [...deletionRequests.values()].map(async (deletionRequest) => {
    const result = await deleteWithRetries(deletionRequest)
    // At once, since this program is killed if another session takes too long.
    if (isOnce) process.stdout.write(`${JSON.stringify(result)}\n`)
  })
  await Promise.all(deletions)
}

/** Ignores malformed lines: a parent that is killed while it writes leaves half a line. */
function parseLine(line: string): Partial<ReaperLine> {
  return parseJson(line) ?? {}
}

async function deleteWithRetries(deletionRequest: DeletionRequest): Promise<ReaperResult> {
  const { default: pRetry } = await import('p-retry')
  try {
    const billFields = await pRetry(() => deleteOnce(deletionRequest), {
      retries: 100,
      minTimeout: 100,
      maxTimeout: 2000,
      maxRetryTime: deletionRequest.body === undefined ? limitMs - attemptMs : pendingCreationMs,
      randomize: true,
    })
    await removeFile(deletionRequest.markerPath)
    return { id: deletionRequest.id, ...billFields }
  } catch (error) {
    return { id: deletionRequest.id, error: messageOf(error) }
  }
}

async function deleteOnce(deletionRequest: DeletionRequest): Promise<Omit<ReaperResult, 'id'>> {
  if (deletionRequest.body !== undefined) return deleteByKey(deletionRequest, deletionRequest.body)
  const first = await send(deletionRequest, deletionRequest.url)
  // Some services support only the form with the id in the body.
  const second = mayNeedIdInBody(first.status)
    ? await send(deletionRequest, deletionRequest.url.replace(/\/[^/]*$/, ''), { id: deletionRequest.id })
    : undefined
  const isSecond = second !== undefined && (!mayNeedIdInBody(second.status) || (isGone(second) && !isGone(first)))
  const response = isSecond ? second : first
  if (response.status >= 300 && !isGone(response)) throw new Error(`the service returned status ${response.status}`)
  const { isValid, isRefused, ...deletion } = parseBill(response.text)
  if (isRefused && response.status < 300) throw new Error('the service refused the deletion')
  if (!isValid) throw new Error('the service returned an invalid response')
  const session =
    isOnce && deletion.creditsBilled === undefined ? parseBill(await readSession(deletionRequest)) : undefined
  const { isAlive, sessionDurationMs, creditsBilled } = { ...deletion, ...session }
  if (isAlive || (deletion.isAlive && creditsBilled === undefined)) throw new Error('the session has not stopped yet')
  return { sessionDurationMs, creditsBilled }
}

/** Excludes a 404 without JSON: it comes from a proxy or a wrong base URL, and proves nothing. */
function isGone({ status, text }: ReceivedResponse): boolean {
  return isGoneStatus(status) && text.trim() !== '' && parseBill(text).isValid
}

/** Reads the session, which may contain the bill. Returns an empty string if that fails. */
async function readSession({ url, headers }: DeletionRequest): Promise<string> {
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(readMs) })
    return await response.text()
  } catch {
    // The bill stays unknown.
    return ''
  }
}

/**
 * Deletes a session by its idempotency key. One that is not found may still be created, so it is
 * retried.
 */
async function deleteByKey(deletionRequest: DeletionRequest, body: object): Promise<Omit<ReaperResult, 'id'>> {
  const { status, text } = await send(deletionRequest, deletionRequest.url, body)
  // Some services do not support this form of deletion.
  const isRefused = [400, 401, 403, 405, 410, 501].includes(status)
  if (status >= 300 && !isRefused) throw new Error(`the service returned status ${status}`)
  const { sessionDurationMs, creditsBilled } = parseBill(text)
  return { sessionDurationMs, creditsBilled }
}

interface ReceivedResponse {
  readonly status: number
  readonly text: string
}

async function send(deletionRequest: DeletionRequest, url: string, body?: object): Promise<ReceivedResponse> {
  const response = await fetch(url, {
    method: 'DELETE',
    headers: { ...deletionRequest.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
  }).catch((cause: unknown) => {
    throw new Error('no response from the service', { cause })
  })
  return { status: response.status, text: await response.text() }
}

/** Fields of a response to a deletion, or of a session. */
interface ParsedBill extends Omit<ReaperResult, 'id'> {
  /** Whether the response is empty or a JSON object. */
  readonly isValid: boolean
  readonly isAlive: boolean
  readonly isRefused: boolean
}

function parseBill(text: string): ParsedBill {
  const response = text.trim() === '' ? {} : parseJsonObject(text)
  const sessionDurationMs = parseFigure(response?.['sessionDurationMs'])
  const creditsBilled = parseFigure(response?.['creditsBilled'])
  const isAlive = isAliveStatus(response?.['status'])
  return {
    isValid: response !== undefined,
    isAlive,
    isRefused: isFailureBody(response) && !isAlive,
    ...(sessionDurationMs === undefined ? {} : { sessionDurationMs }),
    ...(creditsBilled === undefined ? {} : { creditsBilled }),
  }
}

async function removeFile(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const { rm } = await import('node:fs/promises')
  // Another reaper removes the file later.
  await rm(path, { force: true }).catch(() => undefined)
}

await main()
