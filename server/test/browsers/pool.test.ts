import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { openBrowserPool, type BrowserPool, type BrowserPoolOptions } from '../../src/browsers/pool.ts'
import { groupMembers } from '../../src/browsers/process-table.ts'
import { openBrowserFixture, until } from './browser-fixture.ts'

let host: BrowserHost

beforeAll(async () => {
  host = await openBrowserFixture()
})
afterAll(async () => host[Symbol.asyncDispose]())

function openPool(options: Partial<BrowserPoolOptions>): BrowserPool & { readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const log = { warn: (_facts: object, message: string) => warnings.push(message) }
  return Object.assign(openBrowserPool({ host, warm: 1, refillDelayMs: 0, log, ...options }), { warnings })
}

function browserFolders(): readonly string[] {
  return readdirSync(host.boot.path).filter((name) => name !== 'server.json')
}

test('a warm browser is taken immediately and replaced', async () => {
  await using pool = openPool({ warm: 1 })
  await pool.whenWarm

  const start = performance.now()
  await using first = await pool.take()
  const tookMs = performance.now() - start
  await until(() => pool.stats().warm === 1, 'the pool is full again')
  await using second = await pool.take()

  expect(tookMs).toBeLessThan(20)
  expect(second.pid).not.toBe(first.pid)
  expect(pool.stats()).toMatchObject({ live: 2 })
})

test('concurrent callers each get a browser when the pool has too few', async () => {
  await using pool = openPool({ warm: 1 })

  const browsers = await Promise.all([pool.take(), pool.take()])

  expect(new Set(browsers.map(({ pid }) => pid)).size).toBe(2)
  expect(pool.stats().live).toBe(2)
})

test('a pool without warm browsers launches one for each caller', async () => {
  await using pool = openPool({ warm: 0 })
  await pool.whenWarm

  await using browser = await pool.take()

  expect(groupMembers(browser.pid)).toContain(browser.pid)
  expect(pool.stats()).toMatchObject({ warm: 0, launched: 1, live: 1 })
})

test('a warm browser is replaced at its maximum age', async () => {
  await using pool = openPool({ maxAgeMs: 300 })
  await pool.whenWarm

  await until(() => pool.stats().launched >= 2, 'a second browser is launched')

  expect(browserFolders().length).toBeLessThanOrEqual(2)
})

test('a warm browser that has exited is replaced and never returned', async () => {
  await using pool = openPool({ warm: 1 })
  await pool.whenWarm
  const [name] = browserFolders()
  const { pid } = JSON.parse(readFileSync(`${host.boot.path}/${name}/browser.json`, 'utf8')) as { pid: number }

  process.kill(pid, 'SIGKILL')
  await until(() => groupMembers(pid).length === 0, 'the browser is dead')
  await using browser = await pool.take()

  expect(browser.pid).not.toBe(pid)
  expect(pool.warnings).toContain('an idle browser exited')
})

test('the browser of an aborted caller goes to the pool', async () => {
  await using pool = openPool({ warm: 1 })
  const abort = new AbortController()
  const taking = pool.take(abort.signal)

  abort.abort(new Error('no longer needed'))

  await expect(taking).rejects.toThrow('no longer needed')
  await until(() => pool.stats().warm === 1 && pool.stats().starting === 0, 'the pool is full')
  await until(() => browserFolders().length === 1, 'no other browser is left')
  expect(pool.stats().live).toBe(0)
})

test('a failed launch rejects with its error, and the pool tries again', async () => {
  const broken = { ...host, binary: { path: '/bin/ls', kind: 'shell', version: '0' } as const }
  await using pool = openPool({ host: broken, warm: 1 })

  await expect(pool.take()).rejects.toMatchObject({ code: 'BROWSER_START_FAILED' })

  await until(() => pool.warnings.length >= 2, 'the pool tries again')
})

test.skipIf(!canMount)('a launch on a full disk (mounting it needs root) can be repeated later', async () => {
  await using disk = await mountSmallDisk(1)
  disk.fill()
  await using pool = openPool({ warm: 0 })
  const fillUserDataDir = async (): Promise<void> => writeFile(join(disk.path, 'file'), 'contents')

  await expect(pool.launch({ fillUserDataDir })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'The disk of the server is full',
  })
})

test('a failed launch rejects while a browser with its own options is being prepared', async () => {
  const openProxyEndpoint = async (): Promise<never> => Promise.reject(new Error('no proxy'))
  await using pool = openPool({ warm: 0, launchOptions: { openProxyEndpoint } })
  const prepared = Promise.withResolvers<void>()
  const own = pool.launch({ fillUserDataDir: async () => prepared.promise })

  await expect(pool.take()).rejects.toThrow('no proxy')

  prepared.resolve()
  await expect(own).rejects.toThrow('no proxy')
})

test('a refill postponed for a caller runs after the launch of the caller has failed', async () => {
  const starts = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let launches = 0
  const fillUserDataDir = async (): Promise<void> => starts[launches++]?.promise
  await using pool = openPool({ warm: 1, launchOptions: { fillUserDataDir } })
  await until(() => launches === 1, 'a refill is being started')
  const taking = pool.take().catch((error: unknown) => error)
  await until(() => launches === 2, 'a browser for the taker is being started')

  starts[0]?.reject(new Error('no refill'))
  // The next refill starts 250 ms after the first has failed.
  await sleep(300)
  starts[1]?.reject(new Error('no browser'))

  expect(await taking).toMatchObject({ message: 'no browser' })
  await pool.whenWarm
})

test('a browser with its own options is launched outside the pool', async () => {
  await using pool = openPool({ warm: 0 })

  await using browser = await pool.launch({ extraArgs: ['--user-agent=mine'] })

  expect(await browser.router.call('Browser.getVersion')).toMatchObject({ userAgent: 'mine' })
  expect(pool.stats()).toMatchObject({ live: 1, launched: 1 })
})

test('closing the pool ends all browsers and rejects later callers', async () => {
  const pool = openPool({ warm: 2 })
  const browser = await pool.take()
  const late = pool.take()
  const settled = Promise.allSettled([late])

  await pool[Symbol.asyncDispose]()

  expect(browserFolders()).toEqual([])
  await until(() => groupMembers(browser.pid).length === 0, 'the taken browser ends')
  await settled
  await expect(pool.take()).rejects.toMatchObject({ code: 'DRAINING' })
})
