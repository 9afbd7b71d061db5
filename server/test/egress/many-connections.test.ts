import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { openPage } from './open-page.ts'

/** More than the 128 connections that Chromium opens to one proxy by default. */
const count = 200

/** Starts a site on all loopback addresses. It counts requests with a query, without a response. */
async function startWaitingSite() {
  let requests = 0
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/?')) requests += 1
    else response.setHeader('content-type', 'text/html').end('<p>here</p>')
  })
  const sockets = new WebSocketServer({ server })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    sockets: () => sockets.clients.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.close().closeAllConnections()
    },
  }
}

test.each(['shell', 'chromium'] as const)('a page has 200 open requests and WebSockets: %s', async (browser) => {
  await using site = await startWaitingSite()
  await using open = await openPage({ browser, allow: ['127.0.0.0/8'] })
  await open.page.goto(`http://127.0.0.1:${site.port}/`)

  // Chromium opens six connections per host for requests, and WebSockets to one host one after the other.
  await open.page.evaluate(`for (let index = 0; index < ${count}; index++) {
    fetch('http://127.0.0.' + (2 + Math.floor(index / 5)) + ':${site.port}/?' + index, { mode: 'no-cors' }).catch(() => {})
    new WebSocket('ws://127.0.0.1:${site.port}/')
  }`)

  await vi.waitFor(() => expect([site.requests(), site.sockets()]).toEqual([count, count]), 60_000)
})
