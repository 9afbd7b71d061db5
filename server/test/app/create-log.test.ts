import { expect, test } from 'vitest'
import { createLog } from '../../src/app/create-log.ts'
import { runAs } from '../../src/kit/current-work.ts'
import type { Span } from '../../src/kit/span.ts'

test('lines have the ids of the request and the trace that they are part of, once', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const span = { traceId: 'trace' } as Span

  log.info('outside')
  runAs({ requestId: 'r1', span: undefined }, () => log.info('untraced'))
  runAs({ requestId: 'r1', span }, () => log.info('traced'))
  runAs({ requestId: 'r1', span }, () => log.child({ reqId: 'r1' }).info('of a request'))

  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(parsed.map(({ msg, reqId, traceId }) => [msg, reqId, traceId])).toEqual([
    ['outside', undefined, undefined],
    ['untraced', 'r1', undefined],
    ['traced', 'r1', 'trace'],
    ['of a request', 'r1', 'trace'],
  ])
  expect(lines.at(-1)?.match(/reqId/g)).toHaveLength(1)
})
