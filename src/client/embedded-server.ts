import { loadServer } from './load-server.ts'

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

/** Starts a server of the package `bowline-server` on a free loopback port. Throws SERVER_MISSING without the package. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { startServer } = await loadServer<ServerModule>('bowline-server')
  return startServer({ logLevel: 'silent', ...options, host: '127.0.0.1', port: 0 })
}
