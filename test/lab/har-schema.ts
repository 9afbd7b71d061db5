import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'

const require = createRequire(import.meta.url)

/** The errors of a HAR file by the JSON schema of HAR 1.2. */
export function findHarErrors(har: unknown): readonly string[] {
  // The schema was written for draft 6 and an older Ajv, which ignored unknown keywords.
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object)
  ajv.addSchema(Object.values(require('har-schema') as Readonly<Record<string, object>>))
  const validate = ajv.getSchema('har.json')
  if (validate === undefined) throw new Error('har-schema has no har.json')
  void validate(har)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
