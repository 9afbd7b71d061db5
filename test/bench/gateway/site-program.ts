// A site whose pages have some text. Prints the URL of its pages.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = `<h1>A page</h1>${'<p>Some words to read, and a <a href="/next">link</a>.</p>'.repeat(30)}`

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/page\n`)
})
