import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { Bowline } from '../../../src/index.ts'
import { playwright, typeSecret } from '../../../src/playwright.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { runCommand } from '../../../test/lab/run-command.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { refOf, textOf } from '../../../test/mcp/answers.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'

const login = `
<form action="/welcome"><label>User <input name="user"></label><label>Password <input type="password" name="password"></label>
<label>Code <input name="code"></label><button>Sign in</button></form>
<output></output><div id="boxes">${'<input maxlength="1" oninput="this.nextElementSibling?.focus()">'.repeat(6)}</div>
<script>document.querySelector('form').onsubmit = (event) => {
  event.preventDefault()
  const { user, password } = event.target
  console.log('sent', password.value)
  document.querySelector('output').textContent = 'Welcome ' + user.value + ' ' + password.value
  fetch('/echo', { method: 'POST', body: JSON.stringify({ password: password.value }) })
}</script>`
const password = 'correct "horse" & staple'
const user = 'ada.lovelace.42'
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline
beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/login': fixedPage('Login', login),
      '/field': fixedPage('Field', '<input>'),
      '/frames': fixedPage(
        'Frames',
        `<input id="own"><button>Press</button><iframe id="boxed" sandbox="allow-scripts" src="/field"></iframe>`,
      ),
    }),
  )
  lab = fixture.use(await startLab())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  const { origin } = new URL(site.url('/'))
  await bowline.secrets.set('USER', { value: user, origins: [origin] })
  await bowline.secrets.set('PASSWORD', { value: password, origins: [origin, 'https://*.shop.example'] })
  await bowline.secrets.set('CODE', { value: seed, kind: 'totp', origins: [origin] })
  await bowline.secrets.set('CROSS', { value: 'for the other site', origins: [new URL(site.crossUrl('/')).origin] })
})
afterAll(async () => fixture.disposeAsync())

async function run(args: readonly string[], input?: string): Promise<string> {
  const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
  const { code, out, errors } = await runCommand(['secrets', ...args], { env, input })
  if (code !== 0) throw new Error(errors)
  return out
}

test('the command line sets, lists, shows and deletes secrets, and never shows a value', async () => {
  const set = await run(['set', 'CLI', '--origin', 'https://a.example', 'https://b.example'], 'from the input\n')
  const shown = [set, await run(['list']), await run(['show', 'CLI']), await run(['show', 'CLI', '--json'])]

  expect(set).toBe('secret CLI: set for https://a.example, https://b.example')
  expect(shown[1]).toMatch(/^CLI +text +https:\/\/a.example https:\/\/b.example /m)
  expect(JSON.parse(shown[3]!)).toMatchObject({ name: 'CLI', kind: 'text' })
  expect(shown.join()).not.toContain('from the input')
  expect(await run(['delete', 'CLI'])).toBe('secret CLI: deleted')
  await expect(run(['show', 'CLI'])).rejects.toThrow('SECRET_NOT_FOUND')
})

test.each([
  [{ value: 'no base32!', kind: 'totp', origins: ['https://a.example'] }, 'base32'],
  [{ value: 'value', origins: ['https://*.co.uk'] }, 'different owners'],
  [{ value: 'abc', origins: ['https://a.example'] }, 'at least 4'],
  [{ value: 'value', origins: [] }, 'origins'],
  [{ value: 'value', origins: ['https://a.example'], knd: 'totp' }, 'knd'],
])('an invalid secret is refused: %j', async (body, message) => {
  const { status, body: answer } = await lab.api('PUT', '/v2/secrets/X', body)

  expect(status).toBe(400)
  expect(answer['error']).toContain(message)
})

test('origins of a secret are stored without a slash, a default port and repetitions', async () => {
  const origins = [
    'http://127.0.0.1:4712/',
    'http://127.0.0.1:4712',
    'https://Shop.example:443/',
    'https://*.a.example/',
  ]

  await bowline.secrets.set('SLASHED', { value: 'long enough', origins })

  expect((await bowline.secrets.get('SLASHED')).origins).toEqual([
    'http://127.0.0.1:4712',
    'https://shop.example',
    'https://*.a.example',
  ])
  await bowline.secrets.delete('SLASHED')
})

test('a secret is typed only into an editable field with the focus in a frame of its origin', async () => {
  await bowline.withSession({ driver: playwright }, async ({ page }) => {
    await page.goto(site.url('/frames'))
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { id: 'cross', src: '${site.crossUrl('/field')}' }))`,
    )
    const fieldOf = (id: string) => page.frameLocator(id).locator('input')
    const attempt = async (selector: 'own' | 'cross' | 'boxed', name: string): Promise<string> => {
      const field = selector === 'own' ? page.locator('#own') : fieldOf(`#${selector}`)
      await field.focus()
      const error = await typeSecret(page, name).catch((reason: unknown) => String(reason))
      return error ?? (await field.inputValue())
    }

    expect(await attempt('own', 'USER')).toBe(user)
    expect(await attempt('own', 'CROSS')).toMatch(/of http:\/\/127.* has the focus, .* only into http:\/\/localhost/)
    expect(await attempt('own', 'NONE')).toContain('The team has no secret "NONE"')
    await expect(typeSecret(page, 'NONE')).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' })
    expect(await attempt('cross', 'CROSS')).toBe('for the other site')
    expect(await attempt('cross', 'USER')).toMatch(/A frame of http:\/\/localhost.* has the focus/)
    expect(await attempt('boxed', 'USER')).toContain('is sandboxed')
    await page.locator('button').focus()
    await expect(typeSecret(page, 'USER')).rejects.toMatchObject({
      code: 'SECRET_REFUSED',
      message: expect.stringContaining('No editable field'),
    })
    expect(await page.locator('#own').inputValue()).toBe(user)
    // The code of a client in the context of the server does not decide on the origin.
    await page.goto(site.crossUrl('/field'))
    await page.locator('input').focus()
    await claimOrigin(page, new URL(site.url('/')).origin)
    await expect(typeSecret(page, 'USER')).rejects.toThrow('A frame of http://localhost')
  })
})

async function claimOrigin(page: Page, origin: string): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  const { frameTree } = await cdp.send('Page.getFrameTree')
  const context = { frameId: frameTree.frame.id, worldName: 'bowline-secrets' }
  const { executionContextId: contextId } = await cdp.send('Page.createIsolatedWorld', context)
  const expression = `Object.defineProperty(self, 'origin', { value: ${JSON.stringify(origin)} })`
  await cdp.send('Runtime.evaluate', { contextId, expression })
}

test('a typed secret is neither in recordings nor in what other clients receive, and its field shows dots', async () => {
  const record = { har: true, console: true }
  const { result } = await bowline.withSession({ driver: playwright, record }, async ({ page, session }) => {
    await page.goto(site.url('/login'))
    await using other = await connectCdp(session.cdpUrl)
    const target = await other.attachToPage()
    for (const domain of ['Runtime', 'DOM', 'Debugger', 'Page']) await other.call(`${domain}.enable`, {}, target)
    await page.getByLabel('User').focus()
    await typeSecret(page, 'USER')
    const style = await page.evaluate(`getComputedStyle(document.querySelector('input')).webkitTextSecurity`)
    const events = JSON.stringify(other.events)
    await page.getByLabel('Password').focus()
    await typeSecret(page, 'PASSWORD')
    const echoed = page.waitForResponse('**/echo')
    await page.getByText('Sign in').click()
    await (await echoed).finished()
    const { body } = await lab.api('POST', `/v2/browser/${session.id}/scrape`, { formats: ['html'] })
    return { style, events, session, html: String(body['data'].html) }
  })
  const { style, events, session, html } = result
  const har = await new Response(await session.recordings.read('har.json')).text()
  const lines = await new Response(await session.recordings.read('console.jsonl')).text()

  expect(style).toBe('disc')
  expect(events).toContain('bowline-secrets')
  expect(events).not.toContain(user)
  expect(har).toContain('<secret>PASSWORD</secret>')
  expect(lines).toContain('sent <secret>PASSWORD</secret>')
  expect(html).toContain('Welcome')
  expect([har, lines, html].join()).not.toMatch(/horse|lovelace/)
})

test('agents type secrets by name, and see their names in results', async () => {
  const mcp = new RawMcp(new URL('/mcp', lab.server.url), lab.server.apiKey)
  await mcp.initialize()
  const call = async (name: string, args: object): Promise<string> => textOf(await mcp.call(name, args))
  const page = await call('browser_navigate', { url: site.url('/login') })
  const ref = (name: string): string => refOf(page, `textbox "${name}"`)

  const typed = await call('browser_type', { ref: ref('User'), text: '<secret>USER</secret>', slowly: true })
  const mixed = await call('browser_type', { ref: ref('User'), text: 'Bearer <secret>USER</secret>' })
  const refused = await call('browser_type', { ref: ref('User'), text: '<secret>CROSS</secret>' })
  const filled = await call('browser_fill_form', {
    fields: ['User', 'Password', 'Code'].map((name) => {
      return { type: 'textbox', ref: ref(name), value: `<secret>${name.toUpperCase()}</secret>` }
    }),
  })
  const code = await call('browser_evaluate', { function: `() => document.querySelector('[name=code]').value.length` })
  const sent = await call('browser_click', { ref: refOf(page, 'button "Sign in"') })
  const read = await call('browser_evaluate', { function: `() => document.querySelector('[name=password]').value` })
  const logged = await call('browser_console_messages', {})
  await mcp.end()

  expect(typed).toContain(': <secret>USER</secret>')
  expect(mixed).toContain('cannot be combined')
  expect(refused).toContain('SECRET_REFUSED')
  expect(filled).toContain(': <secret>PASSWORD</secret>')
  expect(filled).toContain(': <secret>CODE</secret>')
  expect(code).toContain('\n6\n')
  expect(sent).toContain('Welcome <secret>USER</secret> <secret>PASSWORD</secret>')
  expect(read).toContain('"<secret>PASSWORD</secret>"')
  expect(logged).toContain('sent <secret>PASSWORD</secret>')
  expect([typed, mixed, refused, filled, sent, read, logged].join()).not.toMatch(/horse|lovelace/)
})

test('a one-time password fills boxes of one digit each', async () => {
  await bowline.withSession({ driver: playwright }, async ({ page }) => {
    await page.goto(site.url('/login'))
    await page.locator('#boxes input').first().focus()

    await typeSecret(page, 'CODE')

    const code = await page.evaluate(`[...document.querySelectorAll('#boxes input')].map((box) => box.value).join('')`)
    expect(code).toMatch(/^\d{6}$/)
  })
})
