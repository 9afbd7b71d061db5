// Program of a process that checks results of agents against JSON Schemas, one job at a time. Its
// first message reports that it has started.
import { messageOf } from 'bowline/kit/message-of'
import { handleMessages } from '../kit/handle-messages.ts'
import { compileSchema } from './compile-schema.ts'

/** A schema to compile, and data to check if there is any. */
export interface SchemaJob {
  readonly schema: Readonly<Record<string, unknown>>
  readonly result?: { readonly data: unknown } | undefined
}

/** `invalid`: why the schema is invalid. `problem`: why the data does not match. */
export type SchemaOutcome = { readonly invalid?: string; readonly problem?: string | undefined }

function run({ schema, result }: SchemaJob): SchemaOutcome {
  try {
    const check = compileSchema(schema)
    return result === undefined ? {} : { problem: check(result.data) }
  } catch (error) {
    return { invalid: messageOf(error).slice(0, 300) }
  }
}

handleMessages(run)
process.send?.('started')
