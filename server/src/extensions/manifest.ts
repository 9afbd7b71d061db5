import { z } from 'zod'
import { sha256 } from 'bowline/kit/sha256'
import { extensionIdFrom } from '../kit/extension-id.ts'
import { hostProblem, permissionProblem } from './permissions.ts'
import { invalid } from './invalid-extension.ts'

/** A manifest that sessions can load. */
export interface Manifest {
  /** Can be `__MSG_name__`, a message of the default locale. */
  readonly name: string
  readonly version: string
  readonly defaultLocale: string | undefined
  /** Whether Chromium writes rule files into the folder of the extension. */
  readonly hasRulesets: boolean
  /** The manifest for Chromium, with the key that decides the id. */
  readonly text: string
}

const texts = z.array(z.string().max(2000)).max(1000)

const schema = z.looseObject({
  manifest_version: z.literal(3, {
    error: ({ input }) => `must be 3, not ${JSON.stringify(input)}: Chromium no longer runs older versions`,
  }),
  name: z.string().min(1).max(500),
  version: z.string().regex(/^\d{1,5}(?:\.\d{1,5}){0,3}$/, 'must have one to four numbers, such as "1.2.3"'),
  default_locale: z
    .string()
    .regex(/^[\w-]{2,40}$/)
    .optional(),
  permissions: texts.optional(),
  optional_permissions: texts.optional(),
  host_permissions: texts.optional(),
  optional_host_permissions: texts.optional(),
  content_scripts: z.array(z.looseObject({ matches: texts.default([]) })).optional(),
  declarative_net_request: z.looseObject({ rule_resources: z.array(z.unknown()).optional() }).optional(),
})

/** Manifest keys that are kept unchanged. */
const keptKeys: ReadonlySet<string> = new Set([
  ...Object.keys(schema.shape),
  'action',
  'author',
  'background',
  'commands',
  'content_security_policy',
  'cross_origin_embedder_policy',
  'cross_origin_opener_policy',
  'description',
  'homepage_url',
  'icons',
  'incognito',
  'minimum_chrome_version',
  'offline_enabled',
  'omnibox',
  'options_page',
  'options_ui',
  'sandbox',
  'short_name',
  'side_panel',
  'storage',
  'version_name',
  'web_accessible_resources',
])

/** Keys that are removed: of the store, and of other browsers. */
const removedKeys: ReadonlySet<string> = new Set([
  'applications',
  'browser_specific_settings',
  'converted_from_user_script',
  'current_locale',
  'differential_fingerprint',
  'key',
  'update_url',
])

/** Why a key is refused, where that is not obvious. */
const refusedKeys: Readonly<Record<string, string>> = {
  app: 'it makes a packaged app, which Chromium no longer runs',
  chrome_settings_overrides: 'it changes the start page and the search of the browser',
  chrome_url_overrides: 'it replaces internal pages of the browser, which sessions cannot open',
  devtools_page: 'it runs in DevTools, an internal page of the browser',
  externally_connectable: 'it lets web pages use the rights of the extension',
  oauth2: 'it signs in with accounts of the browser, which has none',
  theme: 'it changes the windows of the browser only',
}

/**
 * Parses the manifest of an upload and checks that the extension stays within its session. Throws
 * EXTENSION_INVALID.
 */
export function parseManifest(json: string, id: string): Manifest {
  const given = parseJson(json)
  const result = schema.safeParse(given)
  if (!result.success) {
    const [issue] = result.error.issues
    throw invalid(`\`${issue?.path.join('.')}\` of manifest.json: ${issue?.message}`)
  }
  const manifest = result.data
  const problems = [...problemsOf(manifest)]
  if (problems.length > 0) {
    const more = problems.length > 5 ? `, and ${problems.length - 5} more problems` : ''
    throw invalid(`Sessions cannot load this extension: ${problems.slice(0, 5).join('; ')}${more}`, {
      hint: 'Remove these entries from manifest.json, if the extension works without them, and upload it again.',
    })
  }
  const kept = Object.entries(manifest).filter(([key]) => !removedKeys.has(key))
  return {
    name: manifest.name,
    version: manifest.version,
    defaultLocale: manifest.default_locale,
    hasRulesets: (manifest.declarative_net_request?.rule_resources ?? []).length > 0,
    text: JSON.stringify({ ...Object.fromEntries(kept), key: keyOf(id).toString('base64') }),
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw invalid('manifest.json is not valid JSON', { cause, hint: 'Remove comments and trailing commas from it.' })
  }
}

function* problemsOf(manifest: z.output<typeof schema>): Iterable<string> {
  for (const key of Object.keys(manifest)) {
    if (keptKeys.has(key) || removedKeys.has(key)) continue
    const reason = Object.hasOwn(refusedKeys, key) ? `: ${refusedKeys[key]}` : ''
    yield `\`${key.slice(0, 100)}\` is not supported${reason}`
  }
  const { permissions = [], optional_permissions: optional = [] } = manifest
  for (const permission of new Set([...permissions, ...optional])) {
    const problem = permissionProblem(permission)
    if (problem !== undefined) yield problem
  }
  const { host_permissions: hosts = [], optional_host_permissions: optionalHosts = [] } = manifest
  const matches = (manifest.content_scripts ?? []).flatMap((script) => script.matches)
  for (const pattern of new Set([...hosts, ...optionalHosts, ...matches])) {
    const problem = hostProblem(pattern)
    if (problem !== undefined) yield problem
  }
}

/**
 * Returns `chrome.runtime.id` of an uploaded extension. The key in its manifest is never used: some
 * ids have further rights in Chromium, such as those of its built-in extensions.
 */
export function runtimeIdOf(id: string): string {
  return extensionIdFrom(keyOf(id))
}

function keyOf(id: string): Buffer {
  return sha256(`bowline extension ${id}`)
}
