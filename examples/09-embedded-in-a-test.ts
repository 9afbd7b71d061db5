// Tests a web application with an embedded Bowline server, which starts and stops with the test.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'

await test('the counter counts', async () => {
  await using app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<button onclick="this.textContent = Number(this.textContent) + 1">0</button>')
  }).listen(0, '127.0.0.1')
  await once(app, 'listening')
  const { port } = app.address() as AddressInfo

  // By default sessions reach public addresses only.
  await using bowline = await Bowline.embedded({ allow: ['127.0.0.1'] })
  const { result } = await bowline.withSession({ ttl: 60, driver: playwright }, async ({ page }) => {
    await page.goto(`http://127.0.0.1:${port}`)
    await page.click('button')
    await page.click('button')
    return page.textContent('button')
  })

  assert.equal(result, '2')
})
