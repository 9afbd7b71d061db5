import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../test/lab/cdp-socket.ts'
import { startSite } from '../../test/lab/site.ts'
import { startLab, type Lab } from '../../test/lab/lab.ts'

describe('the public client `firecrawl`, unmodified', () => {
  let lab: Lab
  let client: Firecrawl
  beforeAll(async () => {
    lab = await startLab()
    client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  test('creates a session, drives it, finds it in the list, deletes it and gets the bill', async () => {
    const created = await client.browser({ ttl: 60, activityTtl: 30, streamWebView: true })
    expect(created).toMatchObject({ success: true, id: expect.any(String), expiresAt: expect.any(String) })

    await using cdp = await connectCdp(created.cdpUrl!)
    expect((await cdp.call('Browser.getVersion')).result?.['product']).toContain('Chrome')
    const listed = await client.listBrowsers({ status: 'active' })
    expect(listed.sessions?.map((session) => session.id)).toContain(created.id)

    const deleted = await client.deleteBrowser(created.id!)
    expect(deleted).toMatchObject({ success: true, creditsBilled: 2, sessionDurationMs: expect.any(Number) })
    expect((await client.listBrowsers({ status: 'active' })).sessions).toEqual([])
    expect((await client.listBrowsers({ status: 'destroyed' })).sessions?.[0]).toMatchObject({
      id: created.id,
      status: 'destroyed',
    })
  })

  test('gets errors as its own error type, with status and message', async () => {
    const unauthorized = new Firecrawl({ apiKey: 'fc-wrong', apiUrl: lab.server.url })

    await expect(unauthorized.listBrowsers()).rejects.toMatchObject({
      status: 401,
      message: 'Unauthorized: Invalid token',
    })
    await expect(client.browser({ ttl: 5 })).rejects.toMatchObject({ status: 400 })
  })

  test('runs code in a session, and in a session that continues a scrape', async () => {
    await using site = await startSite()
    const { id = '' } = await client.browser()
    const listed = await client.browserExecute(id, { code: 'echo out; exit 3' })
    await client.deleteBrowser(id)
    const { metadata } = await client.scrape(site.url('/'))
    const scrapeId = String(metadata?.scrapeId)
    const value = await client.interact(scrapeId, { code: 'page.url()' })
    const stopped = await client.stopInteraction(scrapeId)

    expect(listed).toMatchObject({ success: true, stdout: 'out\n', exitCode: 3 })
    expect(value).toMatchObject({ success: true, result: site.url('/'), cdpUrl: expect.any(String) })
    expect(stopped).toMatchObject({ success: true, creditsBilled: 2 })
  })

  test('parses a file', async () => {
    const document = await client.parse({ data: Buffer.from('a,b\n1,2'), filename: 'a.csv' }, { formats: ['markdown'] })

    expect(document).toMatchObject({
      markdown: '| a | b |\n| --- | --- |\n| 1 | 2 |\n',
      metadata: { sourceURL: 'a.csv' },
    })
  })

  // With 403, 404 and 410, the public command line creates another session and tries again.
  test.each<readonly [string, () => Promise<unknown>, string]>([
    ['startAgent', () => client.startAgent({ prompt: 'a' }), 'Agents need a language model, and this server has none'],
    ['listAgents', () => client.listAgents(), 'This server does not list agents or threads'],
  ])('gets 501 for %s, which the server does not have', async (_name, call, message) => {
    await expect(call()).rejects.toMatchObject({ status: 501, message })
  })
})
