import { extname } from 'node:path'
import { BowlineError } from '../kit/errors.ts'

/** How the embedded server is started. */
export interface EmbeddedServerOptions {
  /** Folder for its data. Default: a new temporary one, removed at the end. */
  readonly dataDir?: string | undefined
  /** `shell`, `chromium`, or the absolute path of a browser. Default: what is found. */
  readonly browser?: string | undefined
  /** How many browsers wait ready. Default: the server's. */
  readonly warm?: number | undefined
  readonly maxSessions?: number | undefined
  /** Hosts and address ranges beside the public ones that pages may reach, such as `127.0.0.1`. Default: none. */
  readonly allow?: readonly string[] | undefined
  readonly logLevel?: string | undefined
}

/** A server in this process. */
export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
}

interface ServerModule {
  readonly startServer: (
    options: EmbeddedServerOptions & { readonly host: string; readonly port: number },
  ) => Promise<EmbeddedServer>
}

/**
 * Starts the server on a free loopback port. The one place where the client reaches the server: by a dynamic import, so
 * that programs that use a remote service load none of it.
 */
export const startEmbeddedServer = async (options: EmbeddedServerOptions): Promise<EmbeddedServer> => {
  const file = new URL(`../server${extname(import.meta.url)}`, import.meta.url).href
  const { startServer } = (await import(file).catch((cause: unknown) => {
    throw new BowlineError('CONFIG_INVALID', 'The server part of this package could not be loaded', {
      cause,
      hint: 'Install the package unbundled, with its dependencies; bundlers cut the server off.',
    })
  })) as ServerModule
  return startServer({ logLevel: 'silent', ...options, host: '127.0.0.1', port: 0 })
}
