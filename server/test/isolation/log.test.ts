import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { browserPids } from '../../../test/lab/browser-processes.ts'
import { connectCdp, refusedUpgrade } from '../../../test/lab/cdp-socket.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { openDataDir } from '../browsers/browser-fixture.ts'

function tokenOf(url: string | undefined): string {
  return new URL(url ?? '').searchParams.get('token') ?? ''
}

test('no key, token or password is logged, even at the lowest log level', async () => {
  await using dataDir = await openDataDir()
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase()
  await using server = await startServerProcess({
    dataDir: dataDir.path,
    env: { DATABASE_URL: database.url.replace('bowline@', 'bowline:database-password@') },
    flags: ['--log-level', 'debug', '--proxy-basic', 'http://proxy-user:proxy-password@127.0.0.1:9'],
  })
  const { body: made } = await server.api('POST', '/v2/team/keys', { name: 'member', team: 'members' })
  const session = await server.create()
  const ended = await server.create({ ttl: 60 })
  const secrets = [
    server.apiKey,
    made['key'] as string,
    ...[session, ended].flatMap((each) =>
      [each.cdpUrl, each.liveViewUrl, each.interactiveLiveViewUrl].map((url) => tokenOf(url)),
    ),
    'some-unknown-key',
    'some-wrong-token',
    'password-in-an-address',
    'proxy-password',
    'database-password',
  ]
  const call = async (path: string, key: string, body?: string): Promise<unknown> =>
    fetch(new URL(path, server.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })

  // Successful requests, and every kind of failed one.
  await call('/v2/browser', made['key'] as string)
  await call('/v2/browser', 'some-unknown-key')
  await call('/v2/browser', server.apiKey, '{nonsense')
  await call('/v2/scrape', server.apiKey, '{"url":"http://user:password-in-an-address@127.0.0.1:1/"}')
  await call('/nowhere?token=some-wrong-token', server.apiKey)
  await call(`/v2/browser/${session.id}/files?token=${tokenOf(session.cdpUrl)}`, '')
  await call(`/v2/browser/${session.id}/files?token=some-wrong-token`, '')
  await refusedUpgrade(session.cdpUrl.replace(/token=.*/, 'token=some-wrong-token'))
  await refusedUpgrade(session.cdpUrl.replace(tokenOf(session.cdpUrl), tokenOf(session.liveViewUrl)))
  // The live view, including its socket.
  for (const url of [session.liveViewUrl, session.interactiveLiveViewUrl]) {
    const view = new URL(url ?? '')
    await fetch(view)
    const socket = new WebSocket(view.href.replace(/^http/, 'ws'))
    await new Promise((resolve) => socket.on('open', resolve).on('error', resolve))
    socket.terminate()
  }
  // A client that navigates to a blocked URL with a password and whose browser then crashes.
  const cdp = await connectCdp(session.cdpUrl)
  const page = await cdp.attachToPage()
  await cdp.call(
    'Page.navigate',
    { url: 'http://user:password-in-an-address@127.0.0.1:1/?password-in-an-address' },
    page,
  )
  await cdp.call('Page.navigate', { url: 'https://user:password-in-an-address@10.0.0.1/?password-in-an-address' }, page)
  await cdp.call('Page.navigate', { url: 'file:///password-in-an-address' }, page)
  cdp.socket.send('password-in-an-address is no command')
  for (const pid of browserPids(dataDir.path)) process.kill(pid, 'SIGKILL')
  await cdp.closed
  await refusedUpgrade(ended.cdpUrl)
  await server.api('DELETE', `/v2/browser/${ended.id}`)
  server.kill('SIGTERM')
  await server.exited

  const log = server.log()
  expect(log).toContain('session ended')
  expect(log).toContain('egress')
  expect(log).toContain('"code":"SCRAPE_SITE_ERROR"')
  expect(log).not.toContain('fetch-page')
  expect(log.split('\n').length).toBeGreaterThan(15)
  expect(secrets.filter((secret) => secret.length < 12)).toEqual([])
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
})
