import Fastify, { LogController } from 'fastify'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { BowlineError } from '../../../src/kit/errors.ts'
import { createSessionRequest } from '../../../src/contract/session-options.ts'
import { scrapeRequest } from '../../../src/contract/scrape.ts'
import { invalidRequest, sendError } from '../../src/http/errors.ts'

test.each([
  ['a client that disconnected', new BowlineError('ABORTED', 'The client disconnected'), ['info']],
  ['a fault of the server', new TypeError('x is not a function'), ['error']],
  ['a fault of the caller', new BowlineError('BAD_REQUEST', 'Bad Request: url: Required'), []],
])('%s is logged as a client or server error', async (_name, error, levels) => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const app = Fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }) })
  app.setErrorHandler(sendError)
  app.get('/', () => {
    throw error
  })

  await app.inject('/')

  expect(lines.map((line) => pino.levels.labels[(JSON.parse(line) as { level: number }).level])).toEqual(levels)
})

test.each<readonly [object, string]>([
  [{ record: 'video' }, '`record` must be `true` or `false`, or an object'],
  [{ profile: { name: 'a', saveChanges: 'yes' } }, '`profile.saveChanges` must be `true` or `false`, or "on-success"'],
  [{ record: { har: 1 } }, '`record.har` must be `true` or `false`, or an object'],
  [{ record: { keep: 'failures' } }, '`record.keep` must be one of "always", "on-failure"'],
  [{ record: { video: { maxFps: 60 } } }, '`record.video.maxFps` must be at most 15'],
  [
    { extraHeaders: { 'https://a.test': { Host: 'b' } } },
    'The key `extraHeaders.https://a.test.Host` cannot be set: the browser decides on this header',
  ],
])('the error for %j names the field and what it accepts', (body, message) => {
  expect(invalidRequest(createSessionRequest.safeParse(body).error!, 'body').message).toBe(message)
})

test('the error for an unknown type of action lists the types', () => {
  const { error } = scrapeRequest.safeParse({ url: 'http://a.com', actions: [{ type: 'hover' }] })

  expect(invalidRequest(error!, 'body').message).toBe(
    '`actions.0.type` must be one of "wait", "click", "screenshot", "write", "press", "scroll", "scrape", "executeJavascript", "pdf"',
  )
})
