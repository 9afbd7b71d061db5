import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { berths, harbourPage } from './demo-pages.ts'

/** The web site of the demo, served from memory. */
export interface DemoSite extends AsyncDisposable {
  readonly url: string
}

/** Starts the site of the demo on a free port of 127.0.0.1. */
export async function startDemoSite(): Promise<DemoSite> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'POST' && request.url === '/berths') {
    const form = new URLSearchParams(await text(request))
    const berth = chooseBerth(form.get('boat') ?? '', Number(form.get('metres')))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(berth))
  } else if (request.url === '/') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(harbourPage)
  } else {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing is moored here.\n')
  }
}

function chooseBerth(boat: string, metres: number): { readonly message: string; readonly berth?: string } {
  const berth = berths.find((berth) => metres > 0 && metres <= berth.metres)
  if (berth === undefined) return { message: `No berth tonight for ${boat}: nothing fits ${metres} m.` }
  const { name, knot, why } = berth
  return { message: `${boat} lies at ${name}. Make fast with a ${knot}: ${why}.`, berth: name }
}
