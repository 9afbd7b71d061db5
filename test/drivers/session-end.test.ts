import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, type SessionBill, type SessionScope } from '../../src/index.ts'
import { describeEachDriver, type SharedHandles } from '../lab/drivers.ts'
import { startLab, type Lab } from '../lab/lab.ts'

let lab: Lab

beforeAll(async () => {
  lab = await startLab()
})

afterAll(async () => lab[Symbol.asyncDispose]())

type Work = (scope: SessionScope & SharedHandles) => Promise<unknown>

interface WaitingPage {
  readonly waitForSelector: (selector: string) => Promise<unknown>
}

const lostByTtl = {
  code: 'CONNECTION_LOST',
  message: expect.stringMatching(/the TTL of the session expired \(close code 4001\)$/) as string,
}

describeEachDriver('a session that ends while the work is running', (driver) => {
  async function run(bowline: Bowline, work: Work, lifetime: { readonly ttl: number; readonly activityTtl?: number }) {
    const bills: SessionBill[] = []
    const options = { ...lifetime, driver, onEnd: (bill: SessionBill) => void bills.push(bill) }
    const outcome = await bowline.withSession(options, work).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ value: undefined, error }),
    )
    return { ...outcome, bills }
  }

  test('by its TTL rejects with the reason, whatever the work waits for', async () => {
    await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
    const pending: Work = async ({ page }) => {
      page.setDefaultTimeout(120_000)
      await (page as unknown as WaitingPage).waitForSelector('#never')
    }
    const repeated: Work = async ({ page }) => {
      for (;;) {
        await page.evaluate('1')
        await sleep(100)
      }
    }
    const sleeping: Work = async ({ signal }) => sleep(120_000, undefined, { signal })
    const returning: Work = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      return signal.reason as unknown
    }

    const [returned, ...rejected] = await Promise.all(
      [returning, pending, repeated, sleeping].map(async (work) => run(bowline, work, { ttl: 30 })),
    )

    for (const { error, bills } of rejected) {
      expect(error).toMatchObject({ ...lostByTtl, cause: expect.any(Error) as Error })
      expect(bills).toMatchObject([{ endedBy: 'throw', endReason: 'ttl', creditsBilled: 2 }])
    }
    expect(returned).toMatchObject({ error: undefined, value: { result: lostByTtl, endReason: 'ttl' } })
    expect(returned?.bills).toMatchObject([{ endedBy: 'return', endReason: 'ttl' }])
  })

  test('because its API key was revoked rejects with the reason, although the bill cannot be read', async () => {
    const { body: key } = await lab.api('POST', '/v2/team/keys', { name: `revoked ${driver.name}` })
    await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: String(key['key']), reaper: false })
    const warning = new Promise<Error>((resolve) => process.once('warning', resolve))

    const { error } = await run(
      bowline,
      async ({ page }) => {
        page.setDefaultTimeout(120_000)
        const waiting = (page as unknown as WaitingPage).waitForSelector('#never')
        await Promise.all([waiting, lab.api('DELETE', `/v2/team/keys/${key['data'].id}`)])
      },
      { ttl: 60 },
    )

    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('the API key of the session was revoked') as string,
    })
    expect((await warning).message).toContain('DELETE_FAILED')
  })

  test('because somebody else deletes it aborts the signal with the reason', async () => {
    await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
    const deleted = { code: 'CONNECTION_LOST', message: expect.stringContaining('the session was deleted') as string }

    const waited = await run(
      bowline,
      async ({ session, signal }) => {
        await lab.api('DELETE', `/v2/browser/${session.id}`)
        await sleep(120_000, undefined, { signal })
      },
      { ttl: 60 },
    )
    const ended = await run(
      bowline,
      async ({ session, signal }) => {
        await session.end()
        await sleep(300)
        return signal.aborted
      },
      { ttl: 60 },
    )

    expect(waited.error).toMatchObject({ ...deleted, cause: expect.any(Error) as Error })
    expect(waited.bills).toMatchObject([{ endedBy: 'throw', endReason: 'deleted' }])
    expect(ended.value).toMatchObject({ result: false })
  })

  test('because the server shuts down rejects with the reason', async () => {
    await using own = await startLab()
    await using bowline = new Bowline({ baseUrl: own.server.url, apiKey: own.server.apiKey, reaper: false })

    const { error } = await run(
      bowline,
      async ({ page }) => {
        page.setDefaultTimeout(120_000)
        const waiting = (page as unknown as WaitingPage).waitForSelector('#never')
        await Promise.all([waiting, own[Symbol.asyncDispose]()])
      },
      { ttl: 60 },
    )

    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('the server was shut down') as string,
    })
  })
})
