import { z } from 'zod'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { extractJson, type LanguageModel } from './language-model.ts'

const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }

/** A question about a page. */
export interface Question extends Abortable {
  readonly markdown: string
  readonly question: string
  /** Whether the answer consists of sentences of the page. Default: false. */
  readonly isQuotation?: boolean | undefined
}

/**
 * Answers a question from a page with a language model. Throws EXTRACTION_FAILED or the signal's
 * reason.
 */
export async function answerQuestion(
  model: LanguageModel,
  { markdown, question, isQuotation = false, signal }: Question,
): Promise<string> {
  const style = isQuotation
    ? 'Answer only with sentences of the page, word for word.'
    : 'Answer in the language of the question, briefly and in plain text.'
  const prompt = `Answer this question from the page: ${question}\n${style} Say so if the page has no answer.`
  const answer = await extractJson(model, { markdown, schema, prompt, signal })
  const parsed = z.looseObject({ answer: z.string().trim().min(1) }).safeParse(answer)
  if (parsed.success) return parsed.data.answer
  throw new BowlineError('EXTRACTION_FAILED', 'The language model returned no answer')
}
