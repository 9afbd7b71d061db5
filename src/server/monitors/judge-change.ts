import { judgment, type Judgment, type PageDiff } from '../../contract/monitor-checks.ts'
import type { Abortable } from '../../kit/abort.ts'
import { extractJson, type LanguageModel } from '../scrape/formats/language-model.ts'

const answerSchema = {
  type: 'object',
  required: ['meaningful', 'confidence', 'reason', 'meaningfulChanges'],
  properties: {
    meaningful: { type: 'boolean' },
    confidence: { enum: ['high', 'medium', 'low'] },
    reason: { type: 'string' },
    meaningfulChanges: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'before', 'after', 'reason'],
        properties: {
          type: { enum: ['added', 'removed', 'changed'] },
          before: { type: ['string', 'null'] },
          after: { type: ['string', 'null'] },
          reason: { type: 'string' },
        },
      },
    },
  },
} as const

const judgeMs = 60_000

/** Asks a language model whether a change matters for a goal. Rejects with EXTRACTION_FAILED, a ZodError or the signal's reason. */
export const judgeChange = async (
  model: LanguageModel,
  { goal, url, diff }: { readonly goal: string | undefined; readonly url: string; readonly diff: PageDiff },
  { signal }: Abortable = {},
): Promise<Judgment> => {
  const limit = AbortSignal.timeout(judgeMs)
  const answer = await extractJson(model, {
    prompt:
      `What follows is what changed on ${url} since it was last looked at: a unified diff, or fields with their values ` +
      `before and after. Say whether the change matters${goal === undefined ? '' : ` to somebody with this goal: ${goal}`}. ` +
      'Changed dates, counters, advertisements and wording without a new meaning do not matter.',
    schema: answerSchema,
    markdown: diff.text ?? JSON.stringify(diff.json, undefined, 2),
    signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
  })
  return judgment.parse(answer)
}
