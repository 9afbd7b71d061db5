import { expect, test } from 'vitest'
import { startTraceCollector, type TraceCollector } from '../../../test/lab/trace-collector.ts'
import { inSpan, runAs, taskOrigin } from '../../src/kit/current-work.ts'
import type { Tracer } from '../../src/kit/span.ts'
import { openTracing } from '../../src/tracing/open-tracing.ts'

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

async function withTracer(
  {
    collector,
    traceRatio = 1,
    log = { warn: () => undefined },
  }: {
    readonly collector: TraceCollector
    readonly traceRatio?: number
    readonly log?: { readonly warn: (facts: object) => void }
  },
  run: (tracer: Tracer) => void,
): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const settings = { otlpEndpoint: collector.url, traceRatio, version: '1' }
  const tracer = await openTracing(resources, settings, { nodeId: 'node', log: log as never })
  run(tracer!)
}

test('a malformed `traceparent` starts a new trace, a valid one is continued', async () => {
  await using collector = await startTraceCollector()
  const malformed = [
    parent.replace('00-', 'ff-'),
    `${parent}-more`,
    parent.replace(/-0af\w+/, `-${'0'.repeat(32)}`),
    'x',
  ]

  await withTracer({ collector }, (tracer) => {
    for (const each of [parent, parent.replace('00-', '01-'), ...malformed])
      tracer.start('step', { parent: each }).end()
  })

  const continued = collector.spans.map(({ traceId }) => parent.includes(traceId))
  expect(continued).toEqual([true, true, false, false, false, false])
})

test('with a ratio of 0 only traces that clients have sampled are sent', async () => {
  await using collector = await startTraceCollector()

  await withTracer({ collector, traceRatio: 0 }, (tracer) => {
    tracer.start('own').end()
    tracer.start('unsampled', { parent: parent.replace(/01$/, '00') }).end()
    tracer.start('sampled', { parent }).end()
  })

  expect(collector.spans.map(({ name }) => name)).toEqual(['sampled'])
})

test('a collector that refuses traces is logged', async () => {
  await using collector = await startTraceCollector({ status: 400 })
  const warnings: object[] = []

  await withTracer({ collector, log: { warn: (facts) => void warnings.push(facts) } }, (tracer) =>
    tracer.start('a').end(),
  )

  expect(warnings).toEqual([expect.objectContaining({ spans: 1 })])
})

test('steps that outlive their request are not added to its trace, and its tasks refer to it', async () => {
  await using collector = await startTraceCollector()

  await withTracer({ collector }, (tracer) => {
    const span = tracer.start('request')
    runAs({ requestId: 'r1', span }, () => {
      expect(taskOrigin()).toEqual({ requestId: 'r1', traceparent: span.traceparent })
      span.end()
      void inSpan('late', async () => undefined)
    })
  })

  expect(collector.spans.map(({ name }) => name)).toEqual(['request'])
})
