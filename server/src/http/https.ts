import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { runEvery } from '../kit/run-every.ts'
import { readCertificate, type Certificate, type CertificatePaths } from './certificate.ts'
import { isWebSocketUpgrade } from './upgrade.ts'

const reloadEveryMs = 10_000

/** Options of `renewCertificate`. */
export interface RenewalOptions {
  readonly onRenewed: (certificate: Certificate) => void
  /** Called once for each pair of files that cannot be used. The previous certificate stays. */
  readonly onError: (error: unknown) => void
  /** Milliseconds between two looks at the files. Default: 10 seconds. */
  readonly everyMs?: number | undefined
}

/**
 * Uses a new certificate for new connections as soon as its files have changed. Open connections
 * continue. Disposing stops it.
 */
export function renewCertificate(
  server: unknown,
  paths: CertificatePaths,
  current: Certificate,
  { onRenewed, onError, everyMs = reloadEveryMs }: RenewalOptions,
): AsyncDisposable {
  let used = current
  let lastError = ''
  const renew = async (): Promise<void> => {
    const found = await readCertificate(paths)
    lastError = ''
    if (found.cert === used.cert && found.key === used.key) return
    if (server instanceof TlsServer) server.setSecureContext({ cert: found.cert, key: found.key })
    used = found
    onRenewed(found)
  }
  return runEvery(everyMs, renew, {
    onError: (error) => {
      if (String(error) === lastError) return
      lastError = String(error)
      onError(error)
    },
  })
}

/** A plain HTTP listener of this machine. */
export interface LocalListener extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
}

/**
 * Serves the same routes as an HTTPS server over plain HTTP, on a free port of 127.0.0.1. Programs
 * of this machine use it, since the certificate is not valid for that address: the command line
 * and the tools of `/mcp`.
 */
export async function listenLocally(server: Server): Promise<LocalListener> {
  const local = createServer({ shouldUpgradeCallback: isWebSocketUpgrade })
  for (const event of ['request', 'upgrade', 'checkContinue', 'clientError']) {
    local.on(event, (...args: readonly unknown[]) => void server.emit(event, ...args))
  }
  local.listen(0, '127.0.0.1')
  await once(local, 'listening')
  const { port } = local.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(local, 'close')
      local.close()
      local.closeAllConnections()
      await closed
    },
  }
}
