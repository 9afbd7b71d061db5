import { expect, test } from 'vitest'
import { judgeCommand } from '../../src/gateway/policy.ts'

test.each([
  ['refuse', { tracingBackend: 'system' }],
  ['refuse', { perfettoConfig: 'AAAA' }],
  ['pass', { tracingBackend: 'chrome' }],
])('the verdict is "%s" for a trace with %j', (kind, params) => {
  const context = {
    downloadsDir: '/run/s1/downloads',
    uploadsDir: '/run/s1/uploads',
    opensDroppedFiles: false,
    kindOfSession: () => 'browser' as const,
    kindOfTarget: () => 'web' as const,
  }

  expect(judgeCommand({ id: 1, method: 'Tracing.start', params }, context)).toMatchObject({ kind })
})
