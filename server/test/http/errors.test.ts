import Fastify, { LogController } from 'fastify'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { BowlineError } from '../../../src/kit/errors.ts'
import { sendError } from '../../src/http/errors.ts'

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
