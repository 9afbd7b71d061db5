import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startMailServer, type Mail } from '../../../test/lab/mail-server.ts'
import { createMonitor, runCheck, startChangingSite, type ChangingSite } from './fixture.ts'

/** Base URL of the links in emails, regardless of the Host header of a request. */
const publicUrl = 'http://bowline.example'

let undo: AsyncDisposableStack
let lab: Lab
let site: ChangingSite
let mails: readonly Mail[]
beforeAll(async () => {
  undo = new AsyncDisposableStack()
  site = undo.use(await startChangingSite())
  const server = undo.use(await startMailServer())
  mails = server.mails
  lab = undo.use(
    await startLab({
      warm: 0,
      smtpUrl: server.url,
      publicUrl,
      mailFrom: 'Bowline <bot@a.example>',
      mailTrusted: ['team.example'],
    }),
  )
})
afterAll(async () => undo.disposeAsync())

async function watch(path: string, recipients: readonly string[], includeDiffs = true): Promise<string> {
  site.set(path, `<h1>Headlines</h1><p>Nothing on ${path}.</p>`)
  const notification = { email: { enabled: true, recipients, includeDiffs } }
  const { id } = await createMonitor(lab.api, {
    name: `Headlines ${path}`,
    targets: [{ type: 'scrape', urls: [site.url(path)] }],
    notification,
  })
  return id
}

async function change(id: string, path: string, words: string): Promise<string> {
  site.set(path, `<h1>Headlines</h1><p>${words}</p>`)
  return (await runCheck(lab.api, id))['id']
}

function mailsTo(address: string): readonly Mail[] {
  return mails.filter(({ to }) => to === address)
}

async function whenMailed(address: string, count: number): Promise<string> {
  return vi.waitFor(
    () => {
      if (mailsTo(address).length < count) throw new Error('not yet')
      return mailsTo(address).at(-1)!.source
    },
    { timeout: 20_000, interval: 50 },
  )
}

function linkIn(source: string, purpose: string): URL {
  const [link] = new RegExp(String.raw`http://\S+/monitor/email/${purpose}\?token=[\w.-]+`).exec(source)!
  if (!link.startsWith(`${publicUrl}/`)) throw new Error(`${link} leads elsewhere`)
  return new URL(link.slice(publicUrl.length), lab.server.url)
}

test.concurrent('a trusted recipient gets one email per change, and none for the baseline', async ({ expect }) => {
  const id = await watch('/a', ['boss@team.example'])
  await runCheck(lab.api, id)

  const checkId = await change(id, '/a', 'A boat has arrived.')
  const source = await whenMailed('boss@team.example', 1)

  expect(source).toContain('Subject: Headlines /a: 1 changed')
  expect(source).toContain('From: Bowline <bot@a.example>')
  expect(source).toContain('-Nothing on /a.')
  expect(source).toContain('+A boat has arrived.')
  expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  await expect
    .poll(async () => (await lab.api('GET', `/v2/monitor/${id}/checks/${checkId}`)).body['data'].notificationStatus)
    .toEqual({ email: { attempted: true, success: true, sent: 1, queued: 0, failed: 0 } })
  await runCheck(lab.api, id)
  expect(mailsTo('boss@team.example')).toHaveLength(1)
})

test.concurrent('other recipients get emails only after they have confirmed', async ({ expect }) => {
  const id = await watch('/b', ['Reader@Else.example'], false)
  await runCheck(lab.api, id)
  const question = await whenMailed('reader@else.example', 1)
  await change(id, '/b', 'Before the answer.')
  const pending = await lab.api('GET', `/v2/monitor/${id}`)

  const looked = await fetch(linkIn(question, 'confirm'))
  const still = await lab.api('GET', `/v2/monitor/${id}`)
  const token = linkIn(question, 'confirm').searchParams.get('token')
  const confirmed = await lab.api('POST', '/v2/monitor/email/confirm', { token }, {})
  const again = await lab.api('POST', '/v2/monitor/email/confirm', { token }, {})
  await change(id, '/b', 'After the answer.')
  const news = await whenMailed('reader@else.example', 2)

  const reader = { email: 'reader@else.example', status: 'pending', source: 'opt_in', confirmationEmailSent: true }
  expect(pending.body['data'].emailRecipientSubscriptions).toEqual([reader])
  expect(await looked.text()).toContain('<form method="post">')
  expect(still.body['data'].emailRecipientSubscriptions).toEqual([reader])
  expect(confirmed.body).toEqual({
    success: true,
    result: 'confirmed',
    email: 'reader@else.example',
    monitorName: 'Headlines /b',
  })
  expect(again.body['result']).toBe('already_confirmed')
  expect(news).toContain('changed: http://')
  expect(news).not.toContain('After the answer')
})

test.concurrent('the unsubscribe link works from the page and with one click in the mail client', async ({
  expect,
}) => {
  const id = await watch('/c', ['one@team.example', 'two@team.example'])
  await runCheck(lab.api, id)
  await change(id, '/c', 'First.')
  const [one, two] = [await whenMailed('one@team.example', 1), await whenMailed('two@team.example', 1)]

  const oneClick = new FormData()
  oneClick.set('List-Unsubscribe', 'One-Click')
  const byProgram = await fetch(linkIn(one, 'unsubscribe'), { method: 'POST', body: oneClick })
  const byForm = await fetch(linkIn(one, 'unsubscribe'), { method: 'POST', body: new URLSearchParams() })
  const byApi = await lab.api(
    'POST',
    '/v2/monitor/email/unsubscribe',
    { token: linkIn(two, 'unsubscribe').searchParams.get('token') },
    {},
  )
  await lab.api('PATCH', `/v2/monitor/${id}`, {
    notification: {
      email: { enabled: true, recipients: ['one@team.example', 'two@team.example', 'three@team.example'] },
    },
  })
  await change(id, '/c', 'Second.')
  await whenMailed('three@team.example', 1)

  expect(await byProgram.text()).toContain('one@team.example is unsubscribed from this monitor')
  expect(byForm.status).toBe(200)
  expect(byApi.body['result']).toBe('unsubscribed')
  expect([mailsTo('one@team.example').length, mailsTo('two@team.example').length]).toEqual([1, 1])
})

test.concurrent('an invalid token, or one for another purpose, is rejected', async ({ expect }) => {
  const id = await watch('/d', ['four@else.example'])
  const token = linkIn(await whenMailed('four@else.example', 1), 'unsubscribe').searchParams.get('token')!

  for (const wrong of ['x', token, `${token.split('.')[0]}.x`, `${id}.x`]) {
    const answer = await lab.api('POST', '/v2/monitor/email/confirm', { token: wrong }, {})
    expect(answer).toMatchObject({ status: 404, body: { code: 'MAIL_TOKEN_INVALID' } })
  }
  const twice = await fetch(`${lab.server.url}/monitor/email/confirm?token=x&token=${token}`, { method: 'POST' })
  expect(twice.status).toBe(404)
})

test.concurrent('a mail server that does not respond does not delay shutdown', { timeout: 25_000 }, async () => {
  await using silent = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .resume()
        .write('220 hello\r\n'),
  )
  const asked = once(silent.listen(0, '127.0.0.1'), 'connection')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await using ending = await startLab({ smtpUrl: `smtp://127.0.0.1:${port}`, publicUrl })
  await createMonitor(ending.api, {
    targets: [{ type: 'scrape', urls: [site.url('/silent')] }],
    notification: { email: { enabled: true, recipients: ['reader@else.example'] } },
  })

  // The email in progress would wait for a minute.
  await asked
})
