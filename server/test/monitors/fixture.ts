import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Insertable } from 'kysely'
import { vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import type { MonitorTable } from '../../src/store/tables/monitors.ts'
import { htmlDocument } from '../../../test/lab/pages/page.ts'
import type { Answer } from '../../../test/lab/lab.ts'

/** The row of a monitor of one page, every hour. */
export function plainMonitor(
  row: Pick<Insertable<MonitorTable>, 'id' | 'teamId' | 'apiKeyId'> & Partial<Insertable<MonitorTable>>,
): Insertable<MonitorTable> {
  return {
    name: 'A',
    cron: '0 * * * *',
    timezone: 'UTC',
    targets: JSON.stringify([{ id: uuidV7(), type: 'scrape', urls: ['https://a.example/'] }]),
    notification: '{}',
    retentionDays: 7,
    baseUrl: 'http://127.0.0.1',
    ...row,
  }
}

/** A site whose pages tests change as they go. */
export interface ChangingSite extends AsyncDisposable {
  readonly url: (path: string) => string
  /** Makes or changes a page: the body of an HTML document, or a status it answers. Without one it is 404. */
  readonly set: (path: string, content: string | number | undefined) => void
  /** Makes the answers wait for a promise. Default: they do not. */
  readonly hold: (until: Promise<void> | undefined) => void
  /** Paths as they were asked for. */
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

/** What calls the API of a server. */
type Api = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Makes a monitor and answers it; fails the test when that does not work. */
export async function createMonitor(api: Api, body: Readonly<Record<string, unknown>>): Promise<Answer['body']> {
  const answer = await api('POST', '/v2/monitor', { name: 'Prices', schedule: { text: 'daily' }, ...body })
  if (answer.status !== 200) throw new Error(`making a monitor: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body['data'] as Answer['body']
}

/** Waits until a check has ended, and answers it with its pages. */
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

/** Runs a check and answers it when it has ended. */
export async function runCheck(api: Api, monitorId: string): Promise<Answer['body']> {
  const { body, status } = await api('POST', `/v2/monitor/${monitorId}/run`, { origin: 'test' })
  if (status !== 200) throw new Error(`running a monitor: ${status} ${JSON.stringify(body)}`)
  return whenEnded(api, monitorId, body['id'])
}

/** A language model that says what a test wants it to. */
export interface Model extends AsyncDisposable {
  readonly url: string
  /** Sets what is answered to a question, which is given as it came. */
  readonly says: (answer: (question: string) => unknown) => void
}

/** Starts a model that speaks the OpenAI chat protocol on a free port of 127.0.0.1. */
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
