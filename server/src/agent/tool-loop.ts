import { isBowlineError } from 'bowline/kit/errors'
import { parseJson } from 'bowline/kit/parse-json'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import { chat, type AssistantMessage, type ChatMessage, type ToolCall, type ToolDescription } from './chat.ts'

/** Output of a tool. */
export interface ToolOutput {
  readonly text: string
  readonly isError: boolean
  /** Whether it ends the loop. Default: false. */
  readonly isFinal?: boolean | undefined
  /** Cost of the call. Default: 0. */
  readonly credits?: number | undefined
}

/** A tool that the model can call. */
export interface LoopTool extends ToolDescription {
  /** Errors of the catalogue become the output. Others end the loop. */
  readonly run: (input: unknown, signal: AbortSignal) => Promise<ToolOutput>
}

/** Which tools the model has in a step. */
export interface StepTools {
  readonly tools: readonly LoopTool[]
  /** Tool that the model must call. Default: it chooses. */
  readonly mustCall?: string | undefined
}

/** Observes a loop and limits it. */
export interface LoopObserver {
  /** Called before each message of the model. Throws to end the loop. */
  readonly beforeStep: (step: { readonly isLast: boolean }) => Promise<StepTools>
  /** Called with each message of the model, before its tools run. */
  readonly onMessage?: ((message: AssistantMessage) => Promise<void>) | undefined
  /** Called with the output of each tool. */
  readonly onOutput: (call: ToolCall, output: ToolOutput) => Promise<void>
}

/** A conversation in which a model uses tools. */
export interface ToolLoop {
  readonly model: LanguageModel
  /** Messages so far. Further ones are added. */
  readonly messages: ChatMessage[]
  /** Maximum number of messages of the model. */
  readonly maxSteps: number
  readonly observer: LoopObserver
  readonly signal: AbortSignal
}

/** End of a loop: the closing text of the model, or undefined if a tool has ended it. */
export interface LoopEnd {
  readonly text: string | undefined
}

const maxCallsPerStep = 8

/** Maximum number of characters of an output. */
const maxOutputCharacters = 40_000

/**
 * Lets a model use tools until it answers in text, a tool ends the loop, or it has sent `maxSteps`
 * messages. The calls of one message run side by side. Throws LANGUAGE_MODEL_FAILED, what the
 * observer throws, or the signal's reason.
 */
export async function runToolLoop(loop: ToolLoop): Promise<LoopEnd> {
  const { model, messages, maxSteps, observer, signal } = loop
  for (let step = 1; step <= maxSteps; step += 1) {
    signal.throwIfAborted()
    const { tools, mustCall } = await observer.beforeStep({ isLast: step === maxSteps })
    const descriptions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
    const message = await chat(model, { messages, tools: descriptions, mustCall, signal })
    messages.push(message)
    await observer.onMessage?.(message)
    if (message.tool_calls === undefined) return { text: message.content ?? '' }
    const outputs = await Promise.all(
      message.tool_calls.map(async (call, index) => {
        const output = index < maxCallsPerStep ? await runTool(tools, call, signal) : tooManyCalls
        signal.throwIfAborted()
        await observer.onOutput(call, output)
        return output
      }),
    )
    for (const [index, call] of message.tool_calls.entries()) {
      messages.push({ role: 'tool', tool_call_id: call.id, content: outputs[index]?.text ?? '' })
    }
    if (outputs.some(({ isFinal }) => isFinal === true)) return { text: undefined }
  }
  return { text: '' }
}

const tooManyCalls: ToolOutput = {
  text: `Not called: at most ${maxCallsPerStep} tools can be called at a time.`,
  isError: true,
}

async function runTool(tools: readonly LoopTool[], call: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
  const tool = tools.find(({ name }) => name === call.function.name)
  if (tool === undefined) return failure(`There is no tool ${JSON.stringify(call.function.name)}.`)
  const input = parseArguments(call.function.arguments)
  if (input === undefined) return failure('The arguments are not a JSON object.')
  try {
    const output = await tool.run(input, signal)
    return { ...output, text: cut(output.text) }
  } catch (error) {
    signal.throwIfAborted()
    if (!isBowlineError(error)) throw error
    return failure(error.message)
  }
}

function parseArguments(text: string): object | undefined {
  const value = parseJson(text === '' ? '{}' : text)
  return typeof value === 'object' && value !== null ? value : undefined
}

function failure(text: string): ToolOutput {
  return { text: cut(text), isError: true }
}

function cut(text: string): string {
  return text.length > maxOutputCharacters ? `${text.slice(0, maxOutputCharacters)}\n(cut)` : text
}
