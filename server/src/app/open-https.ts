import type { Server } from 'node:http'
import type { Logger } from 'pino'
import type { ServerConfig } from '../config.ts'
import type { Egress } from '../egress/egress.ts'
import { expiryWarningMs, readCertificate, type Certificate } from '../http/certificate.ts'
import { listenLocally, renewCertificate, type LocalListener } from '../http/https.ts'

/** The certificate of the server and its plain HTTP listener, if it serves HTTPS. */
export interface Https {
  readonly certificate: Certificate | undefined
  /** URL of the listener, once it is open. */
  readonly localUrl: () => string | undefined
  /** Opens the listener and starts to watch the files. `resources` stops both. */
  readonly start: (resources: AsyncDisposableStack, server: Server) => Promise<void>
}

/** Reads the certificate of the settings. Throws CONFIG_INVALID. */
export async function openHttps(
  { tlsCert, tlsKey }: Pick<ServerConfig, 'tlsCert' | 'tlsKey'>,
  { egress, log }: { readonly egress: Egress; readonly log: Logger },
): Promise<Https> {
  if (tlsCert === undefined || tlsKey === undefined) return plainHttp
  const paths = { tlsCert, tlsKey }
  const certificate = await readCertificate(paths)
  logCertificate(certificate, log)
  let local: LocalListener | undefined
  return {
    certificate,
    localUrl: () => local?.url,
    start: async (resources, server) => {
      local = resources.use(await listenLocally(server))
      resources.use(egress.ownPorts.block(Number(new URL(local.url).port)))
      const onError = (err: unknown): void =>
        log.error({ err }, 'The new certificate cannot be used; the previous one stays in use')
      const onRenewed = (renewed: Certificate): void => logCertificate(renewed, log)
      resources.use(renewCertificate(server, paths, certificate, { onRenewed, onError }))
    },
  }
}

const plainHttp: Https = { certificate: undefined, localUrl: () => undefined, start: async () => undefined }

function logCertificate({ names, validTo }: Certificate, log: Logger): void {
  const facts = { names, validTo: validTo.toISOString() }
  const leftMs = validTo.getTime() - Date.now()
  if (leftMs < 0) log.warn(facts, 'The TLS certificate has expired')
  else if (leftMs < expiryWarningMs) log.warn(facts, 'The TLS certificate expires soon')
  else log.info(facts, 'Using a TLS certificate')
}
