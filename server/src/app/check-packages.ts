import type { Logger } from 'pino'
import { loadOptional } from '../kit/optional-package.ts'
import type { ServerConfig } from '../config.ts'

/**
 * Checks that optional packages are installed. Throws PACKAGE_MISSING if a feature that a flag
 * turns on lacks its package. Logs one warning for missing packages of features that are on by
 * default, with the command that installs them.
 */
export async function checkPackages(config: PackageConfig, log: Logger): Promise<void> {
  for (const [name, { flag, isOn }] of Object.entries(configured)) if (isOn(config)) await find(name, `\`${flag}\``)
  const missing: { readonly name: string; readonly effect: string }[] = []
  for (const [name, effect] of Object.entries(effects)) {
    await find(name, effect).catch(() => missing.push({ name, effect }))
  }
  if (missing.length === 0) return
  const install = `npm install ${missing.map(({ name }) => name).join(' ')}`
  log.warn({ effects: missing.map(({ effect }) => effect), install }, 'some optional packages are not installed')
}

type PackageConfig = Pick<ServerConfig, 'blobs' | 'adLists' | 'smtpUrl'>

interface Configured {
  readonly flag: string
  readonly isOn: (config: PackageConfig) => boolean
}

/** Packages of features that a flag turns on. */
const configured: Readonly<Record<string, Configured>> = {
  '@aws-sdk/client-s3': { flag: '--blobs s3://…', isOn: ({ blobs }) => blobs?.startsWith('s3:') === true },
  '@ghostery/adblocker': { flag: '--ad-lists', isOn: ({ adLists }) => adLists.length > 0 },
  nodemailer: { flag: '--smtp-url', isOn: ({ smtpUrl }) => smtpUrl !== undefined },
}

/** Effects of a missing package on features that no flag turns on. */
const effects: Readonly<Record<string, string>> = {
  '@duckduckgo/autoconsent': 'cookie banners are removed from pages, but not rejected',
  '@fastify/swagger-ui': '/docs returns 501; /openapi.json works',
  '@llamaindex/liteparse': 'PDFs are read as plain text, without headings and tables',
  'classic-level': 'profiles cannot be exported as storageState',
}

/** Checks that a package can be resolved, without loading it. */
async function find(name: string, purpose: string): Promise<void> {
  await loadOptional(name, purpose, async () => import.meta.resolve(name))
}
