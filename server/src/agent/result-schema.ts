import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'

/** Checks results of an agent. Returns what is wrong, or `undefined`. */
export type CheckResult = (data: unknown) => string | undefined

/**
 * Compiles the JSON Schema of a result. Regular expressions and formats are not checked, because
 * those of a caller could take forever. Throws BAD_REQUEST for an invalid schema.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>> | undefined): CheckResult {
  if (schema === undefined) return () => undefined
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(() => ({ test: () => true }), { code: 'undefined' }) },
  })
  ajv.removeKeyword('pattern').removeKeyword('patternProperties')
  const { $schema: _dialect, ...definition } = schema
  const validate = compile(ajv, definition)
  return (data) => (validate(data) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'data' }).slice(0, 1000))
}

function compile(ajv: Ajv2020, schema: object): ValidateFunction {
  try {
    return ajv.compile(schema)
  } catch (cause) {
    throw new BowlineError('BAD_REQUEST', `Invalid JSON schema: ${messageOf(cause).slice(0, 300)}`, { cause })
  }
}
