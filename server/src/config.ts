import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { browserSettings } from './config/browser-settings.ts'
import { jobSettings } from './config/job-settings.ts'
import { retentionSettings } from './config/retention-settings.ts'
import { searchSettings } from './config/search-settings.ts'
import { mcpSettings } from './config/mcp-settings.ts'
import { storeSettings } from './config/store-settings.ts'
import { notificationSettings } from './config/notification-settings.ts'
import { httpUrl, isProxyAddress, list, proxyUrl, wholeNumber, type Setting } from './config/setting.ts'
import { teamSettings } from './config/team-settings.ts'
import { tlsSettings } from './config/tls-settings.ts'
import { tracingSettings } from './config/tracing-settings.ts'

/** Default of `--data-dir`. */
export const defaultDataDir = join(homedir(), '.bowline')

/** All settings of the server: the source of `bowline serve --help` and of the settings page. */
export const settings = {
  host: {
    flag: 'host',
    env: 'BOWLINE_HOST',
    help: 'address to listen on',
    accepts: 'a host name or IP address',
    schema: z.string().min(1).default('127.0.0.1'),
  },
  port: {
    flag: 'port',
    env: 'BOWLINE_PORT',
    help: 'port to listen on; 0 selects a free port',
    accepts: 'a whole number from 0 to 65535',
    schema: wholeNumber(0, 65_535).default(3900),
  },
  publicUrl: {
    flag: 'public-url',
    env: 'BOWLINE_PUBLIC_URL',
    help: 'URL at which clients reach the server; default: the Host header of each request',
    accepts: 'an http: or https: URL',
    schema: httpUrl.optional(),
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    env: 'BOWLINE_TRUSTED_PROXIES',
    help: 'comma-separated addresses of reverse proxies whose X-Forwarded-For, -Proto and -Host headers are used; default: none are',
    accepts: 'IP addresses, CIDR ranges, "loopback", "linklocal" or "uniquelocal", separated by commas',
    schema: list.pipe(z.array(z.string().refine(isProxyAddress))).default([]),
  },
  ...tlsSettings,
  maxConnections: {
    flag: 'max-connections',
    env: 'BOWLINE_MAX_CONNECTIONS',
    help: 'maximum number of open client connections, including WebSockets; further connections are closed',
    accepts: 'a whole number from 10 to 1000000',
    schema: wholeNumber(10, 1_000_000).default(10_000),
  },
  dataDir: {
    flag: 'data-dir',
    env: 'BOWLINE_DATA_DIR',
    help: 'directory for the database, keys and temporary browser files',
    accepts: 'a path',
    schema: z
      .string()
      .min(1)
      .default(defaultDataDir)
      .transform((path) => resolve(path)),
  },
  apiKey: {
    flag: 'api-key',
    env: 'BOWLINE_API_KEY',
    help: 'bootstrap admin key; replaces the key of the previous start; default: a key is created, stored in the data directory (mode 0600) and printed once',
    accepts: 'at least 16 characters without white space',
    schema: z
      .string()
      .regex(/^\S{16,}$/)
      .optional(),
  },
  drainTimeout: {
    flag: 'drain-timeout',
    env: 'BOWLINE_DRAIN_TIMEOUT',
    help: 'seconds that running requests have to finish when the server shuts down',
    accepts: 'a whole number from 0 to 3600',
    schema: wholeNumber(0, 3600).default(20),
  },
  ...browserSettings,
  allow: {
    flag: 'allow',
    env: 'BOWLINE_ALLOW',
    help: 'comma-separated addresses that browsers may reach in addition to public ones',
    accepts: 'IP addresses, CIDR ranges or host names, each with an optional :port, separated by commas',
    schema: list.pipe(z.array(z.string().regex(/^[\w.:/[\]-]+$/))).default([]),
  },
  proxyBasic: {
    flag: 'proxy-basic',
    env: 'BOWLINE_PROXY_BASIC',
    help: 'upstream proxy for browsers and HTTP requests; default: direct connections',
    accepts: 'an http:, https:, socks4: or socks5: URL',
    schema: proxyUrl.optional(),
  },
  proxyEnhanced: {
    flag: 'proxy-enhanced',
    env: 'BOWLINE_PROXY_ENHANCED',
    help:
      'upstream proxy for scrapes with `proxy: "enhanced"`, and the fallback when a page or a connection of a session ' +
      'fails over the basic one',
    accepts: 'an http:, https:, socks4: or socks5: URL',
    schema: proxyUrl.optional(),
  },
  ...storeSettings,
  llmUrl: {
    flag: 'llm-url',
    env: 'BOWLINE_LLM_URL',
    help: 'base URL of an OpenAI-compatible chat API, used by the format "json"; without it the format is refused',
    accepts: 'an http: or https: URL, such as https://api.openai.com/v1',
    schema: httpUrl.optional(),
  },
  llmModel: {
    flag: 'llm-model',
    env: 'BOWLINE_LLM_MODEL',
    help: 'name of the language model',
    accepts: 'a name',
    schema: z.string().min(1).default('gpt-4o-mini'),
  },
  llmKey: {
    flag: 'llm-key',
    env: 'BOWLINE_LLM_KEY',
    help: 'API key of the language model',
    accepts: 'a key',
    schema: z.string().min(1).optional(),
  },
  ...searchSettings,
  ...retentionSettings,
  maxPages: {
    flag: 'max-pages',
    env: 'BOWLINE_MAX_PAGES',
    help: 'maximum number of pages that scrapes render in browsers at once; further pages wait',
    accepts: 'a whole number from 1 to 1000',
    schema: wholeNumber(1, 1000).default(8),
  },
  adLists: {
    flag: 'ad-lists',
    env: 'BOWLINE_AD_LISTS',
    help: 'comma-separated URLs of ad block lists, such as https://easylist.to/easylist/easylist.txt, downloaded daily; default: the built-in list',
    accepts: 'comma-separated http: or https: URLs of lists in EasyList syntax',
    schema: list.pipe(z.array(httpUrl)).default([]),
  },
  ...jobSettings,
  ...notificationSettings,
  ...teamSettings,
  ...mcpSettings,
  nodeUrl: {
    flag: 'node-url',
    env: 'BOWLINE_NODE_URL',
    help: 'URL at which the other servers on the same PostgreSQL reach this server',
    accepts: 'an http: or https: URL',
    schema: httpUrl.optional(),
  },
  logLevel: {
    flag: 'log-level',
    env: 'BOWLINE_LOG_LEVEL',
    help: 'minimum level of log lines',
    accepts: '"debug", "info", "warn", "error" or "silent"',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  },
  ...tracingSettings,
} as const satisfies Record<string, Setting>

type SettingName = keyof typeof settings

/**
 * Options of `startServer`, all optional. The names are those of the flags of `bowline serve` in
 * camelCase.
 *
 * @example
 * ```ts
 * import { startServer, type ServerOptions } from 'bowline-server'
 *
 * const options: ServerOptions = {
 *   port: 0,
 *   dataDir: 'docs-data',
 *   maxSessions: 4,
 *   logLevel: 'silent',
 * }
 * await using server = await startServer(options)
 * console.log(server.maxSessions)
 * ```
 */
export type ServerOptions = {
  readonly [Name in SettingName]?: z.input<(typeof settings)[Name]['schema']> | undefined
}

/** Validated settings, with defaults applied. */
export type ServerConfig = { readonly [Name in SettingName]: z.output<(typeof settings)[Name]['schema']> }

/**
 * Validates the options of `startServer`. Throws CONFIG_INVALID with the setting, its value and the
 * accepted values.
 */
export function parseConfig(options: ServerOptions): ServerConfig {
  return parse(options, (name) => `\`${name}\``)
}

/**
 * Reads settings from command-line flags, keyed as in `settings`, and from the environment. Flags
 * take precedence; blank values count as unset. Throws CONFIG_INVALID, as `parseConfig` does.
 */
export function readConfig(
  flags: Readonly<Partial<Record<SettingName, string>>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): ServerConfig {
  const raw: Partial<Record<SettingName, string>> = {}
  for (const name of settingNames) {
    const value = flags[name] ?? env[settings[name].env]
    if (value !== undefined && value.trim() !== '') raw[name] = value
  }
  return parse(raw, (name) => (flags[name] === undefined ? settings[name].env : `--${settings[name].flag}`))
}

/** The names of all settings, in the order of the help text. */
export const settingNames = Object.keys(settings) as readonly SettingName[]

/** Environment variables for the programs of the PostgreSQL client, such as `PATH`. */
export function databaseToolEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** Environment variables that locate installed browsers. */
export function browserSearchEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** Environment variables that Node.js reads at the first use of its thread pool. */
export function threadPoolEnvironment(): Record<string, string | undefined> {
  return process.env
}

/** Settings whose values are secret and therefore left out of error messages. */
export const secretSettings: ReadonlySet<SettingName> = new Set([
  'apiKey',
  'proxyBasic',
  'proxyEnhanced',
  'databaseUrl',
  's3SecretAccessKey',
  's3SessionToken',
  'profileKey',
  'previousProfileKeys',
  'llmKey',
  'webhookSecret',
  'metricsToken',
  'braveKey',
  'smtpUrl',
])

function parse(raw: Readonly<Record<string, unknown>>, label: (name: SettingName) => string): ServerConfig {
  const unknown = Object.keys(raw).find((name) => !Object.hasOwn(settings, name))
  if (unknown !== undefined) {
    throw new BowlineError('CONFIG_INVALID', `Unknown setting \`${unknown}\`. Settings: ${settingNames.join(', ')}`)
  }
  const config: Record<string, unknown> = {}
  for (const name of settingNames) {
    const setting: Setting = settings[name]
    const result = setting.schema.safeParse(raw[name])
    if (!result.success) {
      const value = secretSettings.has(name) ? 'the given value' : JSON.stringify(raw[name])
      throw new BowlineError('CONFIG_INVALID', `${label(name)} does not accept ${value}. It takes ${setting.accepts}`)
    }
    config[name] = result.data
  }
  if (config['smtpUrl'] !== undefined && config['publicUrl'] === undefined) {
    throw new BowlineError(
      'CONFIG_INVALID',
      `${label('smtpUrl')} requires \`--public-url\`, the base URL of the links in emails`,
    )
  }
  if ((config['tlsCert'] === undefined) !== (config['tlsKey'] === undefined)) {
    const [given, missing] = config['tlsCert'] === undefined ? ['tlsKey', 'cert'] : ['tlsCert', 'key']
    throw new BowlineError('CONFIG_INVALID', `${label(given as SettingName)} requires \`--tls-${missing}\``)
  }
  return config as unknown as ServerConfig
}
