import { loadServer } from './load-server.ts'

/** Options of the embedded server. */
export interface EmbeddedServerOptions {
  /** Data directory. Default: a temporary directory, removed when the server stops. */
  readonly dataDir?: string | undefined
  /** `shell`, `chromium`, or the absolute path of a browser. Default: the first one found. */
  readonly browser?: string | undefined
  /** Number of browsers started in advance. Default: that of the server. */
  readonly warm?: number | undefined
  /** Maximum number of concurrent sessions. Default: derived from the memory of the machine. */
  readonly maxSessions?: number | undefined
  /**
   * Hosts and CIDR ranges that pages may reach in addition to public addresses, such as
   * `127.0.0.1`. Default: none.
   */
  readonly allow?: readonly string[] | undefined
  /** Log level, such as `info`. Default: `silent`. */
  readonly logLevel?: string | undefined
}

/** A server that runs in this process. */
export interface EmbeddedServer extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
}

interface ServerModule {
  readonly startServer: (
    options: EmbeddedServerOptions & { readonly host: string; readonly port: number },
    startOptions: { readonly signal: AbortSignal },
  ) => Promise<EmbeddedServer>
}

/**
 * Starts the server of the package `bowline-server` on a free loopback port. Throws SERVER_MISSING
 * if the package is not installed, or the signal's reason.
 */
export async function startEmbeddedServer(
  options: EmbeddedServerOptions,
  signal: AbortSignal,
): Promise<EmbeddedServer> {
  const { startServer } = await loadServer<ServerModule>('bowline-server')
  return startServer({ logLevel: 'silent', ...options, host: '127.0.0.1', port: 0 }, { signal })
}
