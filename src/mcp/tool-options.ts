import type { CreateSessionOptions } from '../contract/session-options.ts'

/**
 * Options of the tools.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { serveMcpStdio, type McpOptions } from 'bowline/mcp'
 *
 * const options: McpOptions = { readOnly: true, allowedDomains: ['*.example.com'] }
 * await serveMcpStdio(new Bowline(), options)
 * ```
 */
export interface McpOptions {
  /**
   * Offer only tools that read: pages can be opened, but not clicked, typed into or scripted.
   * Default: false.
   */
  readonly readOnly?: boolean | undefined
  /**
   * Hosts that sessions may connect to and that may be scraped, such as `example.com` and
   * `*.example.com`. Default: all that the service permits.
   */
  readonly allowedDomains?: readonly string[] | undefined
  /** Maximum size of a page snapshot in estimated tokens. Default: 2500. */
  readonly maxTokens?: number | undefined
  /** Options of the sessions, such as `profile` and `ttl`. Default: a `ttl` of 30 minutes. */
  readonly session?: CreateSessionOptions | undefined
  /**
   * Local folder from which files may be uploaded and to which downloads and PDFs are saved.
   * Default: none; files are then part of the messages.
   */
  readonly filesDir?: string | undefined
}

/** Options with their defaults. */
export interface ToolOptions {
  readonly readOnly: boolean
  readonly allowedDomains: readonly string[] | undefined
  readonly maxTokens: number
  readonly session: CreateSessionOptions
  readonly filesDir: string | undefined
}

/** Fills in the defaults of the options. */
export function resolveToolOptions(options: McpOptions = {}): ToolOptions {
  const { readOnly = false, allowedDomains, maxTokens = defaultMaxTokens, session = {}, filesDir } = options
  return {
    readOnly,
    allowedDomains,
    maxTokens,
    session: {
      ttl: defaultTtl,
      ...session,
      ...(allowedDomains === undefined ? {} : { allowedDomains: [...allowedDomains] }),
    },
    filesDir,
  }
}

/** Lifetime of a session in seconds. It ends earlier when it is idle. */
const defaultTtl = 1800

const defaultMaxTokens = 2500
