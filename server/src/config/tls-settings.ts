import { resolve } from 'node:path'
import { z } from 'zod'
import type { Setting } from './setting.ts'

const path = z
  .string()
  .min(1)
  .transform((text) => resolve(text))

/** Settings of HTTPS. */
export const tlsSettings = {
  tlsCert: {
    flag: 'tls-cert',
    env: 'BOWLINE_TLS_CERT',
    help: 'file with the certificate chain for HTTPS, in PEM format; read again when it changes; requires `--tls-key`; default: plain HTTP',
    accepts: 'a path',
    schema: path.optional(),
  },
  tlsKey: {
    flag: 'tls-key',
    env: 'BOWLINE_TLS_KEY',
    help: 'file with the private key of the certificate, in PEM format',
    accepts: 'a path',
    schema: path.optional(),
  },
} as const satisfies Record<string, Setting>
