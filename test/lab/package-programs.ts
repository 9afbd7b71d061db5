/** Runs command lines of the packages in a single process: one process each takes many seconds. */
export const runner = `
import { runCli } from './node_modules/bowline/dist/cli/run-cli.js'

const programs = {
  bowline: async () => runCli,
  'bowline-server': async () => (await import('./node_modules/bowline-server/dist/cli/run-server-cli.js')).runServerCli,
}
const print = process.stdout.write.bind(process.stdout)
const all = []
// Each run adds a listener to both.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
for (const [name, ...args] of JSON.parse(process.argv[2])) {
  const ended = { code: 0, stdout: '', stderr: '' }
  for (const kind of ['stdout', 'stderr']) process[kind].write = (text) => Boolean((ended[kind] += text))
  process.exitCode = 0
  await (await programs[name]())(args)
  all.push({ ...ended, code: process.exitCode })
}
process.exitCode = 0
print(JSON.stringify(all))
`

/** Uses all entry points, with an error that the compiler must find. */
export const consumer = `
import { Bowline, type SessionBill } from 'bowline'
import { playwright } from 'bowline/playwright'
import { puppeteer } from 'bowline/puppeteer'
import { chromium, defineConfig, devices, expect, request, test, type Locator, type Page } from 'bowline/testing'

const bowline = new Bowline({ apiKey: 'bl-x', baseUrl: 'http://127.0.0.1:3900' })
const outcome = await bowline.withSession({ ttl: 60, driver: playwright }, async ({ page }) => page.title())
export const title: string = outcome.result
export const credits: number | undefined = outcome.creditsBilled
export type Bill = SessionBill
await bowline.withSession({ driver: puppeteer }, async ({ page }) => page.title())
const heading = (page: Page): Locator => page.getByRole('heading')
test('a page', async ({ page, session }) => {
  await page.goto('about:blank')
  await expect(heading(page)).toHaveCount(session.id.length)
})
export const config = defineConfig({ use: devices['iPhone 13'] ?? {} })
export const others = [chromium, request]
// @ts-expect-error -- the options are checked
await bowline.withSession({ tll: 60 }, async () => undefined)
`

/** Starts a server inside a program, and prints what it serves and a bill. */
export const embedded = `
import { Bowline } from 'bowline'

const bowline = await Bowline.embedded({ dataDir: process.argv[2], warm: 0 })
const status = async (url) => (await fetch(url)).status
const session = await bowline.sessions.create({ ttl: 60 })
const base = new URL(session.cdpUrl.replace('ws', 'http')).origin
const seen = {
  dashboard: await status(base + '/'),
  openapi: await status(base + '/openapi.json'),
  liveView: await status(session.liveViewUrl),
  script: await status(new URL('assets/main.js', session.liveViewUrl)),
}
const { creditsBilled } = await session.end()
await bowline[Symbol.asyncDispose]()
console.log(JSON.stringify({ ...seen, bill: creditsBilled }))
`

/** Uses the entry points that need no other package. */
export const plainConsumer = `
import { Bowline, BowlineError, type BowlineOptions } from 'bowline'
import { routes } from 'bowline/contract'

const options: BowlineOptions = { apiKey: 'bl-x', baseUrl: 'http://127.0.0.1:3900' }
const bowline: AsyncDisposable = new Bowline(options)
await bowline[Symbol.asyncDispose]()
const { result } = await new Bowline(options).withSession({ ttl: 60 }, ({ session }) => session.id.length)
export const length: number = result
export const path: string = routes.createSession.path
export const code: string = new BowlineError('TIMEOUT', 'late').code
`
