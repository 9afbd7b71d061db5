import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { script } from '../../../test/lab/language-model.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { runCommand } from '../../../test/lab/run-command.ts'
import { boatsSchema as schema, startAgentFixture, type AgentFixture } from './fixture.ts'

let fixture: AgentFixture
let hanging = Promise.withResolvers<void>()
const visited: string[] = []
beforeAll(async () => {
  fixture = await startAgentFixture({
    '/fleet': fixedPage('Fleet', '<h1>The red boat</h1>'),
    '/dock': (exchange) => {
      const frame = `<iframe src="${exchange.crossOrigin}/away" title="Foreign"></iframe>`
      return fixedPage('Dock', `<h1>Dock</h1><button onclick="location = '/away'">Leave</button>${frame}`)(exchange)
    },
    '/moved': ({ response, crossOrigin }) => void response.writeHead(302, { location: `${crossOrigin}/away` }).end(),
    '/scripted': fixedPage('Scripted', `<div id="root"></div><script>location.replace('/away')</script>`),
    '/framed': (exchange) => {
      const frame = `<iframe src="${exchange.crossOrigin}/away"></iframe>`
      const body = `<div id="root"></div>${frame}<script>root.textContent = 'Written by a script'</script>`
      return fixedPage('Framed', body)(exchange)
    },
    '/away': (exchange) => {
      visited.push('/away')
      return fixedPage('Away', '<h1>Secret of another page</h1>')(exchange)
    },
    '/hang': () => hanging.resolve(),
  })
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('a strict agent reads its URLs alone, whatever pages and redirects do', async () => {
  const shown: string[] = []
  visited.length = 0
  const refOf = (name: string): string =>
    new RegExp(`${name}[^\\n]*?\\[ref=(e\\d+)\\]|\\[(e\\d+)\\][^\\n]*${name}|${name}[^\\n]*\\[(e\\d+)\\]`)
      .exec(shown.join('\n'))
      ?.slice(1)
      .find(Boolean) ?? 'none'
  fixture.answerWith((question) => {
    shown.push(...question.messages.map(({ content }) => content ?? ''))
    return script(
      {
        calls: [
          ['scrape', { url: fixture.site.url('/moved') }],
          ['scrape', { url: fixture.site.url('/away') }],
          ['scrape', { url: fixture.site.url('/scripted') }],
          ['scrape', { url: fixture.site.url('/framed') }],
          ['search', { query: 'x' }],
        ],
      },
      { calls: [['browser_navigate', { url: fixture.site.url('/dock') }]] },
      { calls: [['browser_click', { ref: refOf('Leave') }]] },
      {
        calls: [
          ['browser_navigate', { url: fixture.site.url('/moved') }],
          ['browser_navigate', { url: fixture.site.url('/away') }],
          ['browser_tabs', { action: 'new', url: fixture.site.url('/away') }],
        ],
      },
      { calls: [['finish', { data: {} }]] },
    )(question)
  })

  const urls = ['/dock', '/moved', '/scripted', '/framed'].map((path) => fixture.site.url(path))
  const { data } = await fixture.bowline.agent('Look', { urls, strictConstrainToURLs: true })

  const text = shown.join('\n')
  expect(data).toEqual({})
  expect(refOf('Leave')).not.toBe('none')
  expect(text).toMatch(/redirects to .*\/away, which is not allowed/)
  expect(text).toMatch(/There is no tool "search"/)
  expect(text).toContain('Written by a script')
  expect(text).not.toContain('Secret of another page')
  expect(visited).toEqual([])
})

test('the public client, unmodified, runs, reads and cancels agents', async () => {
  const client = new Firecrawl({ apiKey: fixture.lab.server.apiKey, apiUrl: fixture.lab.server.url })
  hanging = Promise.withResolvers()
  fixture.answerWith(
    script(
      { calls: [['scrape', { url: fixture.site.url('/fleet') }]] },
      { calls: [['finish', { data: { boats: ['red'] } }]] },
    ),
  )
  const done = await client.agent({
    prompt: 'Which boats?',
    schema,
    urls: [fixture.site.url('/fleet')],
    maxCredits: 100,
    strictConstrainToURLs: true,
    model: 'spark-1-pro',
    pollInterval: 1,
  })
  fixture.answerWith(script({ calls: [['scrape', { url: fixture.site.url('/hang') }]] }))
  const { id } = await client.startAgent({ prompt: 'Wait', effort: 'low', mode: 'extract' })
  await hanging.promise

  const running = await client.getAgentStatus(id)
  const trace = await client.getAgentTrace(id, { liveView: true })
  const isCancelled = [
    await client.cancelAgent(id),
    await client.cancelAgent(id).catch((error: Error) => error.message),
  ]

  expect(done).toMatchObject({
    success: true,
    status: 'completed',
    data: { boats: ['red'] },
    model: 'spark-1-pro',
    creditsUsed: 9,
  })
  expect(running).toMatchObject({ status: 'processing', creditsUsed: 4, expiresAt: expect.any(String) })
  expect(trace).toMatchObject({
    id,
    activeBrowserSessions: [],
    events: expect.arrayContaining([expect.objectContaining({ type: 'tool_call.started', toolName: 'scrape' })]),
  })
  expect(await client.getExtractStatus(id)).toMatchObject({ success: false, status: 'failed' })
  expect(isCancelled).toEqual([true, expect.stringMatching(/already cancelled|false/)])
  await expect(client.getAgentStatus('x')).rejects.toMatchObject({ status: 404 })
})

test('aborting a wait cancels the agent', async () => {
  hanging = Promise.withResolvers()
  fixture.answerWith(script({ calls: [['scrape', { url: fixture.site.url('/hang') }]] }))
  const abort = new AbortController()
  const waiting = fixture.bowline.agent('Wait', {}, { signal: abort.signal })
  const settled = waiting.catch((error: Error) => error.message)
  await hanging.promise

  abort.abort(new Error('enough'))

  expect(await settled).toBe('enough')
  const { body } = await fixture.lab.api('GET', '/v2/team/activity?endpoint=agent&limit=1')
  const { body: agent } = await fixture.lab.api('GET', `/v2/agent/${body['data'][0].id}`)
  expect(agent).toMatchObject({ status: 'failed', stopReason: 'cancelled' })
})

test('`bowline agent` prints the result, and the whole response with --json', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-agent-'))
  const file = join(folder.path, 'schema.json')
  await writeFile(file, JSON.stringify(schema))
  const { server } = fixture.lab
  const env = { BOWLINE_BASE_URL: server.url, BOWLINE_API_KEY: server.apiKey }
  fixture.answerWith(script({ calls: [['scrape', { url: fixture.site.url('/fleet') }]] }, '{"boats":["red"]}'))
  const flags = ['--url', fixture.site.url('/fleet'), '--strict', '--schema', file, '--max-credits', '50']

  const plain = await runCommand(['agent', 'Which boats?', ...flags], { env })
  const whole = await runCommand(['agent', 'Which boats?', ...flags, '--json'], { env })
  const failed = await runCommand(['agent', 'Which boats?', '--schema', file, '--max-credits', '3'], { env })

  expect([plain.code, JSON.parse(plain.out)]).toEqual([0, { boats: ['red'] }])
  expect(JSON.parse(whole.out)).toEqual({ id: expect.any(String), data: { boats: ['red'] }, creditsUsed: 9 })
  expect([failed.code, failed.errors]).toEqual([1, expect.stringContaining('could not finish within `maxCredits`')])
})
