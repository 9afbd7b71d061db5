import { describe, expect, test } from 'vitest'
import { judgeContextProxy } from '../../src/gateway/context-proxy.ts'
import type { Verdict } from '../../src/gateway/verdict.ts'

function judge(params: Readonly<Record<string, unknown>>): Verdict {
  return judgeContextProxy({ id: 1, method: 'Target.createBrowserContext', params })
}

describe('the proxy of a browser context', () => {
  test.each([
    ['http://10.0.0.1:3128', { server: 'http://10.0.0.1:3128/', username: '', password: '' }],
    ['proxy.test:3128', { server: 'http://proxy.test:3128/', username: '', password: '' }],
    [
      'socks5://a%40b:c@proxy.test',
      { server: expect.stringMatching(/^socks5:..proxy/), username: 'a@b', password: 'c' },
    ],
  ])('is opened by the server: %s', (proxyServer, proxy) => {
    const params = { disposeOnDetach: true, proxyServer, proxyBypassList: '<-loopback>' }

    expect(judge(params)).toMatchObject({
      kind: 'context-proxy',
      proxy,
      command: { params: { disposeOnDetach: true } },
    })
  })

  test.each([
    { proxyServer: 'direct://' },
    { proxyServer: 'http=a.test;https=b.test' },
    { proxyServer: 'quic://proxy.test' },
    { proxyServer: 'http://user:%ff@proxy.test' },
    { proxyServer: 'http://proxy.test, direct://' },
    { proxyServer: 7 },
    { proxyServer: 'http://proxy.test', proxyBypassList: '*' },
    { proxyServer: 'http://proxy.test', proxyBypassList: '<-loopback>,example.com' },
    { proxyBypassList: '*' },
  ])('is refused: %j', (params) => {
    expect(judge(params)).toMatchObject({ kind: 'refuse' })
  })

  test('never reaches the browser as the client sent it', () => {
    const verdict = judge({ proxyServer: '', proxyBypassList: '<-loopback>' })

    expect(verdict).toMatchObject({ kind: 'pass', command: { params: {} } })
    expect(JSON.stringify(verdict)).not.toContain('proxy')
  })
})
