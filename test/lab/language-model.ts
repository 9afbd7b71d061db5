import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A chat completion request. */
export interface Question {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format: { readonly type: string; readonly json_schema?: { readonly schema: unknown } }
  /** Tools that the model may call. */
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[]
  readonly tool_choice?: { readonly function: { readonly name: string } }
}

/** A reply that calls tools, or fails with a status. */
export interface ModelReply {
  readonly content?: string
  /** Names and arguments of the tools. */
  readonly calls?: readonly (readonly [name: string, input: object | string])[]
  readonly status?: number
}

/** A local service with the OpenAI chat API. */
export interface Model extends AsyncDisposable {
  readonly url: string
  readonly questions: readonly Question[]
  /** Resolves once `count` requests were received. */
  readonly whenAsked: (count: number) => Promise<void>
}

/** Starts a model that responds with `answer`, or never for `undefined`. */
export async function startModel(answer: (question: Question) => string | ModelReply | undefined): Promise<Model> {
  const questions: Question[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const question = JSON.parse(body) as Question
      questions.push(question)
      for (const { count, resolve } of waiting) if (questions.length >= count) resolve()
      const given = answer(question)
      if (given === undefined) return
      const reply = typeof given === 'string' ? { content: given } : given
      response.statusCode = reply.status ?? 200
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(completionOf(reply, questions.length)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    questions,
    whenAsked: async (count) => {
      if (questions.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Creates a script for a model: the nth message of a conversation is the reply of the nth step. The
 * last step is repeated. A step can read the outputs of the tools so far.
 */
export function script(
  ...steps: readonly (ModelReply | string | ((outputs: readonly string[]) => ModelReply | string | undefined))[]
): (question: Question) => ModelReply | string | undefined {
  return ({ messages }) => {
    const done = messages.filter(({ role }) => role === 'assistant').length
    const outputs = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    const step = steps[Math.min(done, steps.length - 1)]
    return typeof step === 'function' ? step(outputs) : step
  }
}

function completionOf({ content, calls }: ModelReply, index: number): object {
  const toolCalls = calls?.map(([name, input], at) => ({
    id: `call-${index}-${at}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))
  const message = {
    role: 'assistant',
    content: content ?? null,
    ...(calls === undefined ? {} : { tool_calls: toolCalls }),
  }
  return { choices: [{ message, finish_reason: calls === undefined ? 'stop' : 'tool_calls' }] }
}
