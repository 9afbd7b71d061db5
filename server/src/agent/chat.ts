import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { requestCompletion, type LanguageModel } from '../scrape/format/language-model.ts'

/** A tool, as the model is told of it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

const toolCall = z.object({
  id: z
    .string()
    .min(1)
    .catch(() => randomUUID()),
  type: z.literal('function').catch('function'),
  function: z.object({
    name: z.string(),
    // Some services send an object instead of its text.
    arguments: z.preprocess((value) => (typeof value === 'object' ? JSON.stringify(value) : value), z.string()),
  }),
})

const assistantMessage = z.object({
  role: z.literal('assistant').catch('assistant'),
  content: z.string().nullable().default(null),
  tool_calls: z
    .array(toolCall)
    .nullish()
    .transform((calls) => (calls?.length ? calls : undefined)),
})

/** A message of the model. */
export type AssistantMessage = z.output<typeof assistantMessage>

/** A call of a tool by the model. */
export type ToolCall = z.output<typeof toolCall>

/** Schema of a message of a conversation, as stored. */
export const chatMessage = z.union([
  z.object({ role: z.enum(['system', 'user']), content: z.string() }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
  assistantMessage,
])

/** A message of a conversation in the format of OpenAI's chat completions. */
export type ChatMessage = z.output<typeof chatMessage>

const completion = z.object({ choices: z.array(z.object({ message: assistantMessage })).min(1) })

/** A conversation to continue. */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly ToolDescription[]
  /** Tool that the model must call. Default: it chooses. */
  readonly mustCall?: string | undefined
  readonly signal: AbortSignal
}

const timeoutMs = 180_000

/**
 * Requests the next message of the model. Throws LANGUAGE_MODEL_FAILED, or the signal's reason.
 */
export async function chat(
  model: LanguageModel,
  { messages, tools, mustCall, signal }: ChatRequest,
): Promise<AssistantMessage> {
  const body = {
    messages: withinLimit(messages),
    temperature: 0,
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(mustCall === undefined ? {} : { tool_choice: { type: 'function', function: { name: mustCall } } }),
  }
  try {
    const response = await requestCompletion(model, body, mergeSignals(signal, AbortSignal.timeout(timeoutMs)))
    const [choice] = completion.parse(response).choices
    if (choice === undefined) throw new Error('it sent no message')
    return withUniqueIds(choice.message, messages)
  } catch (cause) {
    signal.throwIfAborted()
    throw new BowlineError('LANGUAGE_MODEL_FAILED', `The language model failed: ${messageOf(cause)}`, { cause })
  }
}

/** Replaces ids of calls that the conversation already has, which some services count anew. */
function withUniqueIds(message: AssistantMessage, earlier: readonly ChatMessage[]): AssistantMessage {
  const used = new Set(
    earlier.flatMap((each) => ('tool_calls' in each ? (each.tool_calls ?? []) : [])).map(({ id }) => id),
  )
  const calls = message.tool_calls?.map(({ id, type, function: called }) => {
    const unique = used.has(id) ? randomUUID() : id
    used.add(unique)
    return { id: unique, type, function: called }
  })
  return { ...message, tool_calls: calls }
}

/** Maximum number of characters of a conversation. Older outputs of tools are left out. */
const maxCharacters = 240_000

const leftOut = '(This output was left out, because the conversation has become too long.)'

function withinLimit(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let left = maxCharacters
  return messages
    .toReversed()
    .map((message) => {
      left -= message.content?.length ?? 0
      if (left >= 0 || message.role !== 'tool') return message
      return { role: message.role, tool_call_id: message.tool_call_id, content: leftOut }
    })
    .toReversed()
}
