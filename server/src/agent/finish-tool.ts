import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { parseJson } from 'bowline/kit/parse-json'
import { parseInput } from './agent-tools.ts'
import type { CheckResult } from '../json-schema/schema-checker.ts'
import type { LoopTool } from './tool-loop.ts'

/** Thrown when an agent fails for a reason that its owner should read. */
export class AgentFailure extends Error {}

/** The tool with which an agent returns its result. */
export interface FinishTool extends LoopTool {
  /** The accepted result. */
  readonly result: () => { readonly data: unknown } | undefined
  /** Accepts the text of a model that has not called the tool. Returns what is wrong with it. */
  readonly acceptText: (text: string) => Promise<string | undefined>
}

/** Name of the tool. */
export const finishName = 'finish'

const maxAttempts = 4

/** Creates the tool. After four results that do not match the schema, it throws AgentFailure. */
export function createFinishTool(
  schema: Readonly<Record<string, unknown>> | undefined,
  check: CheckResult,
): FinishTool {
  let result: { readonly data: unknown } | undefined
  let attempts = 0
  const accept = async (data: unknown): Promise<string | undefined> => {
    const problem = await check(data)
    if (problem === undefined) {
      result = { data }
      return undefined
    }
    attempts += 1
    if (attempts >= maxAttempts) throw new AgentFailure(`The result does not match the schema: ${problem}`)
    return `The result does not match the schema: ${problem}`
  }
  // References such as `#/$defs/boat` are relative to the root of the parameters.
  const { $schema: _dialect, $defs, definitions, ...data } = schema ?? { type: 'object', description: 'The result' }
  return {
    name: finishName,
    description: 'Returns the result and ends the task. Use null for what could not be found.',
    parameters: { type: 'object', properties: { data }, required: ['data'], $defs, definitions },
    run: async (input) => {
      const { data: given } = parseInput(z.looseObject({ data: z.unknown() }), input)
      if (given === undefined) throw new BowlineError('BAD_REQUEST', 'The argument `data` is missing')
      const problem = await accept(given)
      return { text: problem ?? 'Done.', isError: problem !== undefined, isFinal: problem === undefined }
    },
    result: () => result,
    acceptText: async (text) => {
      const given = parseJson(text.trim().replace(/^```(?:json)?|```$/g, ''))
      return accept(schema === undefined ? (given ?? { answer: text }) : given)
    },
  }
}
