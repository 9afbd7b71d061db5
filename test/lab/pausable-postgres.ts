import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that can hang: connections stay open, but no data passes. */
export interface PausablePostgres extends AsyncDisposable {
  /** Connection string of the database through the proxy. */
  readonly url: string
  readonly setPaused: (isPaused: boolean) => void
}

/** Opens a proxy to a lab database, which listens on a Unix socket. */
export async function openPausablePostgres(databaseUrl: string): Promise<PausablePostgres> {
  const target = new URL(databaseUrl)
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`
  const pairs = new Set<readonly [Socket, Socket]>()
  let isPaused = false
  const join = ([client, upstream]: readonly [Socket, Socket]): void => {
    client.pipe(upstream).pipe(client)
  }
  const server = createServer((client) => {
    const upstream = connect(path)
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        pairs.delete(pair)
        for (const each of pair) each.destroy()
      })
    }
    if (!isPaused) join(pair)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  target.searchParams.delete('host')
  target.hostname = '127.0.0.1'
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    setPaused: (wanted) => {
      isPaused = wanted
      for (const [client, upstream] of pairs) {
        if (!wanted) join([client, upstream])
        else for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) from.unpipe(to)
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const [client] of pairs) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
