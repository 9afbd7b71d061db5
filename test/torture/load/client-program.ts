/**
 * A client program that drives one session after the other until a signal ends it. Prints a line of
 * JSON for each event.
 *
 * @module
 */
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bowline, type Driver } from '../../../src/index.ts'
import type { SharedHandles } from '../../lab/drivers.ts'

/** Event of a client program. */
export type ProgramEvent =
  | {
      readonly event: 'received'
      readonly id: string
      readonly requestedAtMs: number
      readonly receivedAtMs: number
    }
  | { readonly event: 'driven' }
  | { readonly event: 'ended'; readonly id: string; readonly deletedAtMs: number }

const [driverName, sessionDir = '', url = '', pauseMs] = process.argv.slice(2)

function report(event: ProgramEvent): void {
  // Written at once, because the program may be killed right after it.
  writeSync(1, `${JSON.stringify(event)}\n`)
}

async function loadDriver(): Promise<Driver<SharedHandles>> {
  if (driverName === 'playwright') return (await import('../../../src/playwright.ts')).playwright
  return (await import('../../../src/puppeteer.ts')).puppeteer as unknown as Driver<SharedHandles>
}

const driver = await loadDriver()
const bowline = new Bowline({ sessionDir, timeoutMs: 15_000 })
for (;;) {
  const requestedAtMs = Date.now()
  await bowline
    .withSession(
      {
        ttl: 30,
        driver,
        timeoutMs: 20_000,
        onEnd: ({ sessionId: id, error }) => {
          if (error === undefined) report({ event: 'ended', id, deletedAtMs: Date.now() })
        },
      },
      async ({ session, page }) => {
        report({ event: 'received', id: session.id, requestedAtMs, receivedAtMs: Date.now() })
        await page.goto(url)
        if ((await page.title()) === 'Work') report({ event: 'driven' })
      },
    )
    // A fault.
    .catch(() => undefined)
  await sleep(Number(pauseMs))
}
