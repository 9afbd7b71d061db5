// A plain splice of sockets to `127.0.0.1:PORT`, the fastest that a proxy in Node.js can be. Prints its own port.
import { createServer, connect, type AddressInfo } from 'node:net'

const port = Number(process.argv[2])

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
  client.pipe(upstream).pipe(client)
  client.on('error', () => upstream.destroy())
  upstream.on('error', () => client.destroy())
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
