import { judgment, type Judgment, type PageDiff } from 'bowline/contract/monitor-checks'
import { type Abortable, mergeSignals } from 'bowline/kit/abort'
import { extractJson, type LanguageModel } from '../scrape/format/language-model.ts'

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

/**
 * Asks a language model whether a change is meaningful for a goal. Rejects with EXTRACTION_FAILED,
 * a ZodError or the signal's reason.
 */
export async function judgeChange(
  model: LanguageModel,
  { goal, url, diff }: { readonly goal: string | undefined; readonly url: string; readonly diff: PageDiff },
  options?: Abortable,
): Promise<Judgment> {
  return ask(
    model,
    `The following changed on ${url} since the last check: a unified diff, or fields with their values ` +
      `before and after. Decide whether the change matters${goalClause(goal)}. ` +
      'Changed dates, counters, advertisements and wording without a new meaning do not matter.',
    diff.text ?? JSON.stringify(diff.json, undefined, 2),
    options,
  )
}

/**
 * Asks a language model whether a search result is meaningful for a goal. Rejects like
 * `judgeChange`.
 */
export async function judgeResult(
  model: LanguageModel,
  { goal, result }: { readonly goal: string | undefined; readonly result: SearchResult },
  options?: Abortable,
): Promise<Judgment> {
  return ask(
    model,
    `The following is a new search result. Decide whether it matters${goalClause(goal)}.`,
    `# ${result.title}\n\n${result.url}\n\n${result.description}`,
    options,
  )
}

/** The fields of a result that are judged. */
interface SearchResult {
  readonly url: string
  readonly title: string
  readonly description: string
}

function goalClause(goal: string | undefined): string {
  return goal === undefined || goal.trim() === '' ? '' : ` to a user with this goal: ${goal}`
}

async function ask(
  model: LanguageModel,
  prompt: string,
  markdown: string,
  { signal }: Abortable = {},
): Promise<Judgment> {
  const limit = AbortSignal.timeout(judgeMs)
  const combined = mergeSignals(limit, signal)
  return judgment.parse(await extractJson(model, { prompt, schema: answerSchema, markdown, signal: combined }))
}
