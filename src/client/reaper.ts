/**
 * A program of its own: reads tickets from standard input and, when that ends, deletes the sessions that are left.
 * Its parent holds the other end of the pipe, which the kernel closes however the parent dies.
 * With `--once` it gives up after 4 s and prints one result a line; else it tries for 60 s. It imports next to nothing,
 * because one waits beside every process that has a session.
 * @module
 */
import { createInterface } from 'node:readline'
import type { DeletionRequest, ReaperLine, ReaperResult } from './deletion-request.ts'
import { isError } from '../kit/is-error.ts'

const isOnce = process.argv.includes('--once')
const limitMs = isOnce ? 4000 : 60_000
const attemptMs = isOnce ? 2000 : 10_000
/** How long a session may still come up whose creation was under way: a server needs seconds to start a browser. */
const unknownMs = isOnce ? 1500 : 15_000

async function main(): Promise<void> {
  // It ends by itself when its work is done; a signal to the whole service must not end it before.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const tickets = new Map<string, DeletionRequest>()
  for await (const line of createInterface({ input: process.stdin })) {
    const { add, remove } = parseLine(line)
    if (add !== undefined) tickets.set(add.id, add)
    if (remove !== undefined) tickets.delete(remove)
  }
  const results = await Promise.all([...tickets.values()].map((deletionRequest) => deleteWithRetries(deletionRequest)))
  if (isOnce) process.stdout.write(results.map((result) => `${JSON.stringify(result)}\n`).join(''))
}

/** A parent that is killed while it writes leaves half a line, which must not keep the other sessions alive. */
function parseLine(line: string): Partial<ReaperLine> {
  try {
    return JSON.parse(line) as ReaperLine
  } catch {
    return {}
  }
}

async function deleteWithRetries(deletionRequest: DeletionRequest): Promise<ReaperResult> {
  const { default: pRetry } = await import('p-retry')
  try {
    const figures = await pRetry(() => deleteOnce(deletionRequest), {
      retries: 100,
      minTimeout: 100,
      maxTimeout: 2000,
      maxRetryTime: deletionRequest.body === undefined ? limitMs - attemptMs : unknownMs,
      randomize: true,
    })
    await removeFile(deletionRequest.leasePath)
    return { id: deletionRequest.id, ...figures }
  } catch (error) {
    return { id: deletionRequest.id, error: isError(error) ? error.message : String(error) }
  }
}

async function deleteOnce(deletionRequest: DeletionRequest): Promise<Omit<ReaperResult, 'id'>> {
  if (deletionRequest.body !== undefined) return deleteByKey(deletionRequest, deletionRequest.body)
  const first = await send(deletionRequest, deletionRequest.url)
  // Some services know only the form with the id in the body.
  const isUnknown = [404, 405, 501].includes(first.status)
  const second = isUnknown
    ? await send(deletionRequest, deletionRequest.url.replace(/\/[^/]*$/, ''), { id: deletionRequest.id })
    : undefined
  const { status, text } = second !== undefined && second.status < 300 ? second : first
  if (status >= 300 && status !== 404 && status !== 410) throw new Error(`the service answered ${status}`)
  const { isStopping, ...figures } = readAnswer(text)
  if (isStopping) throw new Error('the service is still stopping it')
  return figures
}

/** Deletes a session whose answer never came. One that is unknown may still come up. */
async function deleteByKey(deletionRequest: DeletionRequest, body: object): Promise<Omit<ReaperResult, 'id'>> {
  const { status, text } = await send(deletionRequest, deletionRequest.url, body)
  // Other services do not know this form of deletion.
  const isRefused = [400, 401, 403, 405, 410, 501].includes(status)
  if (status >= 300 && !isRefused) throw new Error(`the service answered ${status}`)
  const { isStopping: _, ...figures } = readAnswer(text)
  return figures
}

async function send(
  deletionRequest: DeletionRequest,
  url: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, {
    method: 'DELETE',
    headers: { ...deletionRequest.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
  }).catch((cause: unknown) => {
    throw new Error('the service gave no answer', { cause })
  })
  return { status: response.status, text: await response.text() }
}

function readAnswer(text: string): Omit<ReaperResult, 'id'> & { readonly isStopping: boolean } {
  try {
    const { status, sessionDurationMs, creditsBilled } = JSON.parse(text) as Omit<ReaperResult, 'id'> & {
      readonly status?: unknown
    }
    return {
      isStopping: status === 'stopping',
      ...(typeof sessionDurationMs === 'number' ? { sessionDurationMs } : {}),
      ...(typeof creditsBilled === 'number' ? { creditsBilled } : {}),
    }
  } catch {
    return { isStopping: false }
  }
}

async function removeFile(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const { rm } = await import('node:fs/promises')
  await rm(path, { force: true }).catch(() => undefined)
}

await main()
