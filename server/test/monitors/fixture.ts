import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import type { NewMonitor } from '../../src/monitors/queries/monitors.ts'
import { htmlDocument } from '../../../test/lab/pages/page.ts'
import type { Answer } from '../../../test/lab/lab.ts'

/** Returns the row of an hourly monitor of one page. */
export function plainMonitor(row: Pick<NewMonitor, 'id' | 'teamId' | 'apiKeyId'> & Partial<NewMonitor>): NewMonitor {
  return {
    name: 'A',
    cron: '0 * * * *',
    timezone: 'UTC',
    targets: [{ id: uuidV7(), type: 'scrape', urls: ['https://a.example/'] }],
    notification: {},
    retentionDays: 7,
    baseUrl: 'http://127.0.0.1',
    ...row,
  }
}

/** A site whose pages tests can change. */
export interface ChangingSite extends AsyncDisposable {
  readonly url: (path: string) => string
  /** Sets the HTML body or the error status of a page. `undefined` removes it. */
  readonly set: (path: string, content: string | number | undefined) => void
  /** Delays responses until a promise resolves. `undefined` stops that. */
  readonly hold: (until: Promise<void> | undefined) => void
  /** Requested paths, in order. */
  readonly asked: readonly string[]
}

/** Starts a site without pages on a free port of 127.0.0.1. */
export async function startChangingSite(): Promise<ChangingSite> {
  const pages = new Map<string, string | number>()
  const asked: string[] = []
  let held: Promise<void> | undefined
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const content = pages.get(path) ?? 404
    const answer = (): void => {
      response.statusCode = typeof content === 'number' ? content : 200
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(htmlDocument(path, typeof content === 'number' ? `<h1>${content}</h1>` : `<main>${content}</main>`))
    }
    void (held ?? Promise.resolve()).then(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    set: (path, content) => {
      if (content === undefined) pages.delete(path)
      else pages.set(path, content)
    },
    hold: (until) => {
      held = until
    },
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Calls the API of a server. */
type Api = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Creates a monitor and returns it. Throws if that fails. */
export async function createMonitor(api: Api, body: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
  const answer = await api('POST', '/v2/monitor', { name: 'Prices', schedule: { text: 'daily' }, ...body })
  if (answer.status !== 200)
    throw new Error(`creating a monitor failed: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body['data'] as Answer['body']
}

/** Waits until a check has ended and returns it with its pages. */
export async function whenEnded(api: Api, monitorId: string, checkId: string): Promise<Answer['body']> {
  return vi.waitFor(
    async () => {
      const { body } = await api('GET', `/v2/monitor/${monitorId}/checks/${checkId}`)
      if (['queued', 'running'].includes(body['data']?.status)) throw new Error('not yet')
      return body['data'] as Answer['body']
    },
    { timeout: 45_000, interval: 100 },
  )
}

/** Runs a check and returns it once it has ended. */
export async function runCheck(api: Api, monitorId: string): Promise<Answer['body']> {
  const { body, status } = await api('POST', `/v2/monitor/${monitorId}/run`, { origin: 'test' })
  if (status !== 200) throw new Error(`running a monitor failed: ${status} ${JSON.stringify(body)}`)
  return whenEnded(api, monitorId, body['id'])
}

/** A fake language model. */
export interface Model extends AsyncDisposable {
  readonly url: string
  /** Sets the function that returns the answer to a request, given as text. */
  readonly says: (answer: (question: string) => unknown) => void
}

/** Starts a model with the OpenAI chat API on a free port of 127.0.0.1. */
export async function startModel(): Promise<Model> {
  let answer: (question: string) => unknown = () => ({})
  const server = createServer((request, response) => {
    void text(request).then((question) => {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ choices: [{ message: { role: 'assistant', content: JSON.stringify(answer(question)) } }] }),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    says: (next) => {
      answer = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
