import type { Logger } from 'pino'
import { BowlineError } from 'bowline/kit/errors'
import { isInstalled, loadOptional } from '../kit/optional-package.ts'
import { tracingPackages } from '../tracing/open-tracing.ts'

/**
 * Checks that optional packages are installed. Throws PACKAGE_MISSING if a feature that a flag
 * turns on lacks its package. Logs one warning for missing packages of features that are on by
 * default, with the command that installs them.
 */
export async function checkPackages(features: OptionalFeatures, log: Logger): Promise<void> {
  for (const [name, { flag, feature }] of Object.entries(configured)) {
    if (features[feature]) await find(name, `\`${flag}\``)
  }
  if (features.hasTraces) checkTracingPackages()
  const missing = Object.entries(effects).filter(([name]) => !isInstalled(name))
  if (missing.length === 0) return
  const install = `npm install ${missing.map(([name]) => name).join(' ')}`
  log.warn({ effects: missing.map(([, effect]) => effect), install }, 'some optional packages are not installed')
}

/** Features that flags turn on and that need an optional package. */
export interface OptionalFeatures {
  /** Whether blobs are stored in an S3 bucket. */
  readonly hasBucket: boolean
  readonly hasAdLists: boolean
  readonly hasMail: boolean
  /** Whether traces are sent to a collector. */
  readonly hasTraces: boolean
}

interface Configured {
  readonly flag: string
  readonly feature: keyof OptionalFeatures
}

/** Packages of features that a flag turns on. */
const configured: Readonly<Record<string, Configured>> = {
  '@aws-sdk/client-s3': { flag: '--blobs s3://…', feature: 'hasBucket' },
  '@ghostery/adblocker': { flag: '--ad-lists', feature: 'hasAdLists' },
  nodemailer: { flag: '--smtp-url', feature: 'hasMail' },
}

/** Effects of a missing package on features that no flag turns on. */
const effects: Readonly<Record<string, string>> = {
  '@duckduckgo/autoconsent': 'cookie banners are removed from pages, but not rejected',
  '@fastify/swagger-ui': '/docs returns 501; /openapi.json works',
  '@llamaindex/liteparse': 'PDFs are read as plain text, without headings and tables',
  '@modelcontextprotocol/server': '/mcp returns 501',
  'classic-level': 'profiles cannot be exported as storageState',
  'playwright-core': '/mcp returns 501, and Node.js code in sessions has no `page`',
}

/** Optional packages, each with the effect of its absence. */
export const optionalPackages: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(configured)
    .map(([name, { flag }]): [string, string] => [name, `\`${flag}\` needs it`])
    .concat(
      tracingPackages.map((name) => [name, '`--otlp-endpoint` needs it']),
      Object.entries(effects),
    ),
)

/** Traces need several packages: one error names all that are missing. */
function checkTracingPackages(): void {
  const missing = tracingPackages.filter((name) => !isInstalled(name))
  if (missing.length === 0) return
  throw new BowlineError(
    'PACKAGE_MISSING',
    `\`--otlp-endpoint\` or \`OTEL_EXPORTER_OTLP_ENDPOINT\` turns traces on, and they need packages that are not installed. Install them, or unset it: npm install ${missing.join(' ')}`,
  )
}

/** Checks that a package can be resolved, without loading it. */
async function find(name: string, purpose: string): Promise<void> {
  await loadOptional(name, purpose, async () => import.meta.resolve(name))
}
