import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, type Driver } from '../../src/index.ts'
import { playwright, type PlaywrightHandles } from '../../src/playwright.ts'
import { groupMembers } from '../../server/src/browsers/process-table.ts'
import { browserPids } from '../lab/browser-processes.ts'
import { describeEachDriver } from '../lab/drivers.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'
import { readFileSync } from 'node:fs'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline

beforeAll(async () => {
  lab = fixture.use(await startLab())
  site = fixture.use(await startSite())
  bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
})

afterAll(() => fixture.disposeAsync())

function killBrowsers(): void {
  for (const pid of browserPids(lab.dataDir)) process.kill(pid, 'SIGKILL')
}

function killRenderers(): void {
  for (const pid of browserPids(lab.dataDir).flatMap(groupMembers)) {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) process.kill(pid, 'SIGKILL')
  }
}

describeEachDriver('a pool', (driver) => {
  test('opens a new page for each item on a shared session, and deletes its sessions', async () => {
    const urls = ['One', 'Two', 'Three'].map((text) => site.url(`/title?text=${text}`))

    const run = bowline.pool({ driver, size: 1 }).run(urls, async (url, { page, context }) => {
      const before = page.url()
      await page.goto(url)
      return `${before} ${await page.title()} ${(await context.pages()).length}`
    })

    const results = (await Array.fromAsync(run)).map(({ result }) => result)
    expect(results).toEqual(['about:blank One 1', 'about:blank Two 1', 'about:blank Three 1'])
    expect(await run.done()).toMatchObject({ sessions: 1, credits: 2 })
    expect(await bowline.sessions.list({ status: 'active' })).toEqual([])
  })

  test.each([
    ['the session is deleted', (id: string) => bowline.sessions.delete(id)],
    ['the page crashes', killRenderers],
    ['the browser crashes', killBrowsers],
  ])('tries an item again on another session when %s', async (_, lose) => {
    const run = bowline
      .pool({ driver, size: 1, retries: { infrastructure: 1, delayMs: 1 } })
      .run([site.url('/title?text=Here')], async (url, { page, session, attempt }) => {
        page.setDefaultTimeout(5000)
        await page.goto(url)
        if (attempt === 1) await lose(session.id)
        // Never ends.
        if (attempt === 1) await page.evaluate('new Promise(() => {})')
        return page.title()
      })

    const outcomes = await Array.fromAsync(run)

    expect(outcomes).toMatchObject([{ state: 'done', result: 'Here', attempts: 2 }])
    expect(await run.done()).toMatchObject({ sessions: 2, retried: 1 })
  })
})

test('a session that has become slow is replaced, and the driver determines the type of the pool function', async () => {
  let probes = 0
  const tiring: Driver<PlaywrightHandles> = {
    ...playwright,
    reuse: (handles) => {
      const reuse = playwright.reuse!(handles)
      return {
        ...reuse,
        probe: async (options) => {
          await reuse.probe(options)
          probes += 1
          if (probes > 3) await delay(300)
        },
      }
    },
  }
  const reasons: string[] = []

  const run = bowline
    .pool({
      driver: tiring,
      size: 1,
      maxDrift: 1.1,
      onProgress: (_, event) => void (event.type === 'session-ended' && reasons.push(`${event.reason} ${event.uses}`)),
    })
    .run([1, 2, 3, 4, 5, 6], async (_, { page }) => ({ title: await page.title(), size: page.viewportSize() }))
  for await (const { result } of run) {
    expect(result?.size satisfies { readonly width: number } | null | undefined).toBeDefined()
  }
  await run.done()

  expect(reasons[0]).toBe('drift 5')
})
