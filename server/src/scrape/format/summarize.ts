import { z } from 'zod'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { extractJson, type LanguageModel } from './language-model.ts'

const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }

const prompt = 'Summarize the page in its own language, in at most two paragraphs of plain text.'

/** Summarizes a page with a language model. Throws EXTRACTION_FAILED or the signal's reason. */
export async function summarize(
  model: LanguageModel,
  { markdown, signal }: Abortable & { readonly markdown: string },
): Promise<string> {
  const answer = await extractJson(model, { markdown, schema, prompt, signal })
  const parsed = z.looseObject({ summary: z.string().trim().min(1) }).safeParse(answer)
  if (parsed.success) return parsed.data.summary
  throw new BowlineError('EXTRACTION_FAILED', 'The language model returned no summary')
}
