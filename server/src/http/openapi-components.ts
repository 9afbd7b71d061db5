import { createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import * as contract from './contract-modules.ts'
import { describeFields, readDescriptions } from './describe-fields.ts'
import { describeRecords } from './openapi-records.ts'
import { writeAlternatives } from 'bowline/contract/alternative'
import { writeShorthands } from 'bowline/contract/shorthand'

/** Parameters of a path, query or header, which an OpenAPI document contains inline. */
const parameters = /(Params|Query|Headers)$/

type Transform = ReturnType<typeof createJsonSchemaTransformObject>
type Components = Readonly<Record<string, unknown>>

/**
 * Returns a registry with the schemas of the contract, named as in the contract: `scrapeRequest` is
 * `ScrapeRequest`. These names are those of the types in generated clients. Fields have the
 * descriptions of the reference.
 */
export function nameSchemas(descriptions = readDescriptions()): typeof z.globalRegistry {
  const registry = z.registry<z.core.GlobalMeta>()
  registry._map = new MetadataWithNames()
  for (const [name, schema] of Object.values(contract).flatMap(Object.entries<unknown>)) {
    if (!(schema instanceof z.ZodType) || parameters.test(name)) continue
    registry.add(schema, { ...schema.meta(), id: name.charAt(0).toUpperCase() + name.slice(1) })
  }
  for (const [schema, description] of describeFields(contract, descriptions)) {
    registry.add(schema, { ...schema.meta(), description })
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
    const all = writeShorthands(writeAlternatives(components.schemas))
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
