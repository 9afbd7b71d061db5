import { createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as actions from 'bowline/contract/actions'
import { describeRecords } from './openapi-records.ts'
import * as activity from 'bowline/contract/activity'
import * as auditLog from 'bowline/contract/audit-log'
import * as batch from 'bowline/contract/batch'
import * as browser from 'bowline/contract/browser'
import * as bulk from 'bowline/contract/bulk'
import * as crawl from 'bowline/contract/crawl'
import * as document from 'bowline/contract/document'
import * as agent from 'bowline/contract/agent'
import * as extract from 'bowline/contract/extract'
import * as failure from 'bowline/contract/failure'
import * as files from 'bowline/contract/files'
import * as formats from 'bowline/contract/formats'
import * as execute from 'bowline/contract/execute'
import * as interact from 'bowline/contract/interact'
import * as handoff from 'bowline/contract/handoff'
import * as keys from 'bowline/contract/keys'
import * as location from 'bowline/contract/location'
import * as map from 'bowline/contract/map'
import * as monitorChecks from 'bowline/contract/monitor-checks'
import * as monitors from 'bowline/contract/monitors'
import * as extensions from 'bowline/contract/extensions'
import * as profiles from 'bowline/contract/profiles'
import * as recordings from 'bowline/contract/recordings'
import * as scrape from 'bowline/contract/scrape'
import * as search from 'bowline/contract/search'
import * as secrets from 'bowline/contract/secrets'
import * as sessionOptions from 'bowline/contract/session-options'
import * as sessionScrape from 'bowline/contract/session-scrape'
import { writeShorthands } from 'bowline/contract/shorthand'
import * as teams from 'bowline/contract/teams'
import * as usage from 'bowline/contract/usage'
import * as v1Scrape from 'bowline/contract/v1-scrape'
import * as webhooks from 'bowline/contract/webhooks'

const contract: readonly Readonly<Record<string, unknown>>[] = [
  actions,
  activity,
  auditLog,
  batch,
  browser,
  bulk,
  crawl,
  document,
  agent,
  extract,
  failure,
  files,
  formats,
  execute,
  interact,
  handoff,
  keys,
  location,
  map,
  monitorChecks,
  monitors,
  extensions,
  profiles,
  recordings,
  scrape,
  search,
  secrets,
  sessionOptions,
  sessionScrape,
  teams,
  usage,
  v1Scrape,
  webhooks,
]

/** Parameters of a path or query, which an OpenAPI document lists instead of referencing them. */
const parameters = /(Params|Query)$/

type Transform = ReturnType<typeof createJsonSchemaTransformObject>
type Components = Readonly<Record<string, unknown>>

/**
 * Returns a registry with the schemas of the contract, named as in the contract: `scrapeRequest` is
 * `ScrapeRequest`. These names are those of the types in generated clients.
 */
export function nameSchemas(): typeof z.globalRegistry {
  const registry = z.registry<z.core.GlobalMeta>()
  registry._map = new MetadataWithNames()
  for (const [name, schema] of contract.flatMap(Object.entries)) {
    if (!(schema instanceof z.ZodType) || parameters.test(name)) continue
    registry.add(schema, { ...schema.meta(), id: name.charAt(0).toUpperCase() + name.slice(1) })
  }
  return registry
}

/** Metadata of the named schemas, and the metadata that all other schemas were created with. */
class MetadataWithNames extends WeakMap<z.core.$ZodType, z.core.GlobalMeta> {
  override get(schema: z.core.$ZodType): z.core.GlobalMeta | undefined {
    return super.get(schema) ?? z.globalRegistry.get(schema)
  }

  override has(schema: z.core.$ZodType): boolean {
    return super.has(schema) || z.globalRegistry.has(schema)
  }
}

/**
 * Returns the transformation that adds the named schemas that a document references. A schema has
 * two components only if requests and responses both use it and differ; the one of requests then
 * ends in `Input`.
 */
export function addComponents(registry: typeof z.globalRegistry): Transform {
  const addAll = createJsonSchemaTransformObject({ schemaRegistry: registry })
  return (source) => {
    const { components, paths, ...rest } = addAll(source) as {
      readonly components: { readonly schemas: Components }
      readonly paths: Parameters<typeof describeRecords>[0]
    }
    const all = writeShorthands(components.schemas)
    const document = { ...rest, paths: describeRecords(paths, all) }
    const used = referenced(document, all)
    const renamed = new Map([...used].map((name) => [name, finalName(name, all, used)]))
    const schemas = Object.fromEntries([...used].toSorted().map((name) => [renamed.get(name) ?? name, all[name]]))
    return renameReferences({ ...document, components: { ...components, schemas } }, renamed) as ReturnType<Transform>
  }
}

/** Names of the components that a value references, directly or through other components. */
function referenced(value: unknown, components: Components, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    referenced(components[name], components, found)
  }
  return found
}

function finalName(name: string, components: Components, used: ReadonlySet<string>): string {
  const shared = name.replace(/Input$/, '')
  const isSame = () => JSON.stringify(components[shared]) === JSON.stringify(components[name])
  return !used.has(shared) || isSame() ? shared : name
}

function renameReferences(value: unknown, names: ReadonlyMap<string, string>): unknown {
  const text = JSON.stringify(value).replaceAll(
    /"#\/components\/schemas\/(\w+)"/g,
    (_reference, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
  )
  return JSON.parse(text)
}
