import { describe, expect, test } from 'vitest'
import { judgeCommand, type PolicyContext } from '../../src/gateway/policy.ts'

const context: PolicyContext = {
  downloadsDir: '/run/s1/downloads',
  uploadsDir: '/run/s1/uploads',
  opensDroppedFiles: true,
  kindOfSession: () => 'web',
  kindOfTarget: () => 'web',
}

describe.each(['Page.navigate', 'Target.createTarget'])('%s', (method) => {
  test.each(['http://', 'http://256.256.256.256/', 'https://[::1', 'http://a:99999/', 'http://a%00b/', 'http://a|b/'])(
    'refuses the invalid URL %j, as Chromium does',
    (url) => {
      expect(judgeCommand({ id: 1, method, params: { url } }, context)).toEqual({
        kind: 'refuse',
        message: 'Cannot navigate to invalid URL',
      })
    },
  )

  test.each(['http://a b/', 'http://a%20b/', 'HTTPS://a%20b.example:8080/x'])('passes %j, as Chromium does', (url) => {
    expect(judgeCommand({ id: 1, method, params: { url } }, context)).toMatchObject({ kind: 'pass' })
  })
})
