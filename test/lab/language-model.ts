import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A chat completion request. */
export interface Question {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format: { readonly type: string; readonly json_schema?: { readonly schema: unknown } }
}

/** A local service with the OpenAI chat API. */
export interface Model extends AsyncDisposable {
  readonly url: string
  readonly questions: readonly Question[]
  /** Resolves once `count` requests were received. */
  readonly whenAsked: (count: number) => Promise<void>
}

/** Starts a model that responds with `answer`, or never for `undefined`. */
export async function startModel(answer: (question: Question) => string | undefined): Promise<Model> {
  const questions: Question[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const question = JSON.parse(body) as Question
      questions.push(question)
      for (const { count, resolve } of waiting) if (questions.length >= count) resolve()
      const content = answer(question)
      if (content === undefined) return
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
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
