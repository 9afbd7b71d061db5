import { judgment, type Judgment, type PageDiff } from 'bowline/contract/monitor-checks'
import type { Abortable } from 'bowline/kit/abort'
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

/** Asks a language model whether a change matters for a goal. Rejects with EXTRACTION_FAILED, a ZodError or the signal's reason. */
export async function judgeChange(
  model: LanguageModel,
  { goal, url, diff }: { readonly goal: string | undefined; readonly url: string; readonly diff: PageDiff },
  options?: Abortable,
): Promise<Judgment> {
  return ask(
    model,
    `What follows is what changed on ${url} since it was last looked at: a unified diff, or fields with their values ` +
      `before and after. Say whether the change matters${forWhom(goal)}. ` +
      'Changed dates, counters, advertisements and wording without a new meaning do not matter.',
    diff.text ?? JSON.stringify(diff.json, undefined, 2),
    options,
  )
}

/** Asks a language model whether a result of a search matters for a goal. Rejects like `judgeChange`. */
export async function judgeResult(
  model: LanguageModel,
  { goal, result }: { readonly goal: string | undefined; readonly result: SearchResult },
  options?: Abortable,
): Promise<Judgment> {
  return ask(
    model,
    `What follows is a new result of a search. Say whether it matters${forWhom(goal)}.`,
    `# ${result.title}\n\n${result.url}\n\n${result.description}`,
    options,
  )
}

/** What is judged of a result. */
interface SearchResult {
  readonly url: string
  readonly title: string
  readonly description: string
}

function forWhom(goal: string | undefined): string {
  return goal === undefined ? '' : ` to somebody with this goal: ${goal}`
}

async function ask(
  model: LanguageModel,
  prompt: string,
  markdown: string,
  { signal }: Abortable = {},
): Promise<Judgment> {
  const limit = AbortSignal.timeout(judgeMs)
  const either = signal === undefined ? limit : AbortSignal.any([limit, signal])
  return judgment.parse(await extractJson(model, { prompt, schema: answerSchema, markdown, signal: either }))
}
