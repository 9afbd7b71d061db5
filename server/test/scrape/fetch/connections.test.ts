import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { fetchPage } from '../../../src/scrape/fetch/fetch-page.ts'

async function startSite(respond: RequestListener) {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    respond(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const dispatcher = new Agent({ connections: 1 })
  const identity = { chromeMajor: '150', isMobile: false, acceptLanguage: 'en' }
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    paths,
    read: async (path: string) => fetchPage(`${base}${path}`, { dispatcher, identity, headers: {} }),
    [Symbol.asyncDispose]: async () => {
      await dispatcher.close()
      server.close()
    },
  }
}

test('a page is requested again if its site closes the connection of an earlier page', async () => {
  const used = new WeakSet<Socket>()
  await using site = await startSite(({ socket }, response) => {
    if (used.has(socket)) {
      socket.destroy()
      return
    }
    used.add(socket)
    response.setHeader('content-type', 'text/html').end('<h1>Boats</h1>')
  })
  await site.read('/first')

  const page = await site.read('/second')

  expect(page.statusCode).toBe(200)
  expect(site.paths).toEqual(['/first', '/second', '/second'])
})

test('a page whose site closes new connections is requested once', async () => {
  await using site = await startSite(({ socket }) => void socket.destroy())

  await expect(site.read('/closed')).rejects.toMatchObject({ code: 'SCRAPE_SITE_ERROR' })

  expect(site.paths).toEqual(['/closed'])
})

test('a page whose site accepts no connection is given up when the signal aborts', async () => {
  const connecting = Promise.withResolvers<void>()
  const dispatcher = new Agent({ connect: () => connecting.resolve() })
  onTestFinished(async () => dispatcher.destroy())
  const identity = { chromeMajor: '150', isMobile: false, acceptLanguage: 'en' }
  const caller = new AbortController()
  const page = fetchPage('http://127.0.0.1/', { dispatcher, identity, headers: {}, signal: caller.signal })
  await connecting.promise

  caller.abort(new Error('too late'))

  await expect(page).rejects.toThrow('too late')
})
