import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { bigPages } from './pages/big.ts'
import { filePages } from './pages/files.ts'
import { formPages } from './pages/forms.ts'
import { framePages } from './pages/frames.ts'
import { movingPages } from './pages/moving.ts'
import { networkPages } from './pages/network.ts'
import { type Exchange, type Pages, sendHtml } from './pages/page.ts'
import { plainPages } from './pages/plain.ts'
import { redirectPages } from './pages/redirects.ts'
import { slowPages } from './pages/slow.ts'
import { storagePages } from './pages/storage.ts'
import { workerPages } from './pages/workers.ts'
import { createRequestLog, type RequestLog } from './request-log.ts'

/** A local web site with a page for each browser feature. See `pages/`. */
export interface Site extends AsyncDisposable {
  readonly port: number
  /** URL of a path on 127.0.0.1. */
  url(path: string): string
  /** The same path on `localhost`, which is another origin. */
  crossUrl(path: string): string
  readonly requests: RequestLog
}

const sitePages: Pages = {
  ...plainPages,
  ...formPages,
  ...framePages,
  ...workerPages,
  ...networkPages,
  ...filePages,
  ...storagePages,
  ...redirectPages,
  ...slowPages,
  ...bigPages,
  ...movingPages,
}

/** Starts the site on a free port of 127.0.0.1. `extraPages` add or replace pages. */
export async function startSite(extraPages: Pages = {}): Promise<Site> {
  const pages = { ...sitePages, ...extraPages }
  const requests = createRequestLog()
  const server = createServer((request, response) => {
    const { method = 'GET', headers } = request
    requests.add({ method, path: request.url ?? '/', headers })
    const url = new URL(request.url ?? '/', `http://${headers.host ?? '127.0.0.1'}`)
    void answer(pages, { request, response, url, crossOrigin: crossOriginOf(url) })
  })
  const sockets = echoSockets(server, (request) => {
    requests.add({ method: 'GET', path: request.url ?? '/', headers: request.headers })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    crossUrl: (path) => `http://localhost:${port}${path}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate()
      const closed = server.listening ? once(server, 'close') : undefined
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function crossOriginOf(url: URL): string {
  return `http://${url.hostname === 'localhost' ? '127.0.0.1' : 'localhost'}:${url.port}`
}

async function answer(pages: Pages, exchange: Exchange): Promise<void> {
  const page = Object.hasOwn(pages, exchange.url.pathname) ? pages[exchange.url.pathname] : undefined
  try {
    if (page !== undefined) return await page(exchange)
    exchange.response.statusCode = 404
    sendHtml(exchange, 'Not found', `<h1>Not found</h1>`)
  } catch (error) {
    exchange.response.destroy(error as Error)
  }
}

/** `/socket` echoes messages. `/socket/close` closes at once. */
function echoSockets(server: Server, onUpgrade: (request: IncomingMessage) => void): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, duplex, head) => {
    onUpgrade(request)
    sockets.handleUpgrade(request, duplex, head, (socket) => {
      if (request.url === '/socket/close') return socket.close(1000, 'closed at once')
      socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }))
    })
  })
  return sockets
}
