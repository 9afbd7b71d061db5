import { createContext, Script } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { messageOf } from 'bowline/kit/message-of'

/**
 * Time limit of compiling and of each check. References can make the work grow exponentially with
 * the length of a schema, and the first schema also waits for a busy machine to compile the
 * compiler.
 */
const limitMs = 5000

/**
 * Compiles the JSON Schema of a result. Returns a function that describes what is wrong with data.
 * Regular expressions and formats are not checked, because those of a caller could take forever.
 * Throws for an invalid schema. Blocks its process: the server uses `SchemaChecker`.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): (data: unknown) => string | undefined {
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    // Copies of a large definition at each reference to it would take gigabytes.
    inlineRefs: false,
    logger: false,
    code: { regExp: Object.assign(() => ({ test: () => true }), { code: 'undefined' }) },
  })
  ajv.removeKeyword('pattern').removeKeyword('patternProperties')
  const { $schema: _dialect, ...definition } = schema
  const validate = runLimited('compiling it', () => ajv.compile(definition))
  return (data) => {
    try {
      if (runLimited('checking the data', () => validate(data))) return undefined
    } catch (error) {
      return `the schema cannot be applied: ${messageOf(error).slice(0, 300)}`
    }
    return ajv.errorsText(validate.errors, { dataVar: 'data' }).slice(0, 1000)
  }
}

const script = new Script('work()')

/** Interrupts synchronous work at the time limit, which only scripts of another context have. */
function runLimited<Result>(action: string, work: () => Result): Result {
  try {
    return script.runInContext(createContext({ work }), { timeout: limitMs }) as Result
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new Error(`${action} takes more than ${limitMs / 1000} s`, { cause: error })
  }
}
