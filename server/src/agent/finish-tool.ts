import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import { parseInput } from './agent-tools.ts'
import type { CheckResult } from './result-schema.ts'
import type { LoopTool } from './tool-loop.ts'

/** Thrown when an agent fails for a reason that its owner should read. */
export class AgentFailure extends Error {}

/** The tool with which an agent returns its result. */
export interface FinishTool extends LoopTool {
  /** The accepted result. */
  readonly result: () => { readonly data: unknown } | undefined
  /** Accepts the text of a model that has not called the tool. Returns what is wrong with it. */
  readonly acceptText: (text: string) => string | undefined
}

/** Name of the tool. */
export const finishName = 'finish'

const maxAttempts = 4

/** Creates the tool. Results must match the schema. After four that do not, it throws AgentFailure. */
export function createFinishTool(
  schema: Readonly<Record<string, unknown>> | undefined,
  check: CheckResult,
): FinishTool {
  let result: { readonly data: unknown } | undefined
  let attempts = 0
  const accept = (data: unknown): string | undefined => {
    const problem = check(data)
    if (problem === undefined) {
      result = { data }
      return undefined
    }
    attempts += 1
    if (attempts >= maxAttempts) throw new AgentFailure(`The result does not match the schema: ${problem}`)
    return `The result does not match the schema: ${problem}`
  }
  const { $schema: _dialect, ...definition } = schema ?? { type: 'object', description: 'The result' }
  return {
    name: finishName,
    description: 'Returns the result and ends the task. Use null for what could not be found.',
    parameters: { type: 'object', properties: { data: definition }, required: ['data'] },
    run: async (input) => {
      const { data } = parseInput(z.looseObject({ data: z.unknown() }), input)
      if (data === undefined) throw new BowlineError('BAD_REQUEST', 'The argument `data` is missing')
      const problem = accept(data)
      return { text: problem ?? 'Done.', isError: problem !== undefined, isFinal: problem === undefined }
    },
    result: () => result,
    acceptText: (text) => accept(schema === undefined ? (parseJson(text) ?? { answer: text }) : parseJson(text)),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, ''))
  } catch {
    return undefined
  }
}
