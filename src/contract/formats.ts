import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { screenshotFields, selector } from './actions.ts'
import { boundedArray } from './bounded.ts'
import { shorten } from './validation-issues.ts'

function bare<Name extends string>(name: Name) {
  return z.strictObject({ type: z.literal(name) })
}

/** Maximum number of formats of a scrape. Each type can be used once. */
export const maxFormats = 20

/** A JSON Schema of the data to extract. */
export const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (schema) => JSON.stringify(schema).length <= 100_000,
    'The schema must have at most 100,000 characters of JSON',
  )

const question = z.string().min(1).max(10_000)

/** Answers a question about the page, with the language model of the server, as `answer`. */
export const questionFormat = z.strictObject({ type: z.literal('question'), question })

/** An older form of `question`. */
export const queryFormat = z.strictObject({
  type: z.literal('query'),
  prompt: question,
  /** `directQuote` answers with sentences of the page. Default: `freeform`. */
  mode: z.enum(['freeform', 'directQuote']).default('freeform'),
})

/** Passages of the Markdown that match a query. */
export const highlightsFormat = z.strictObject({ type: z.literal('highlights'), query: question })

/** Screenshot of the page, as a URL that is valid for 24 hours. */
export const screenshotFormat = z.strictObject({ type: z.literal('screenshot'), ...screenshotFields })

/** Data that the language model of the server extracts from the page. */
export const jsonFormat = z.strictObject({
  type: z.literal('json'),
  /** JSON Schema of the data. Default: the model chooses the fields. */
  schema: jsonSchema.optional(),
  /** Instructions for the model. Default: all data of the schema. */
  prompt: z.string().max(10_000).optional(),
  /**
   * Accepted for compatibility, without effect: the prompt always tells the model to ignore
   * instructions in pages.
   */
  checkPromptInjection: z.boolean().optional(),
})

/**
 * Compares the page with its previous scrape by the team. Requires the format `markdown`. Responses
 * with an error status other than 404 and 410 are not kept for the next comparison.
 */
export const changeTrackingFormat = z.strictObject({
  type: z.literal('changeTracking'),
  /**
   * `git-diff` adds the changed lines. `json` compares fields that the language model of the server
   * extracts. Default: only the status of the change.
   */
  modes: boundedArray(z.enum(['git-diff', 'json']), 2).default([]),
  /** JSON Schema of the fields to compare in the mode `json`. */
  schema: jsonSchema.optional(),
  /** Instructions for the model in the mode `json`. */
  prompt: z.string().max(10_000).optional(),
  /** Separate history of the page, up to 200 characters. Default: the common one. */
  tag: z.string().max(200).nullable().default(null),
})

/** Values of an attribute of the elements that match a selector. */
export const attributesFormat = z.strictObject({
  type: z.literal('attributes'),
  /** CSS selectors with the name of an attribute, 1 to 100. */
  selectors: boundedArray(z.strictObject({ selector, attribute: z.string().min(1).max(200) }), 100, 1),
})

const formatObject = z.discriminatedUnion(
  'type',
  [
    bare('markdown'),
    bare('html'),
    bare('rawHtml'),
    bare('links'),
    bare('images'),
    bare('summary'),
    bare('product'),
    bare('branding'),
    bare('rawBase64'),
    questionFormat,
    queryFormat,
    highlightsFormat,
    screenshotFormat,
    jsonFormat,
    changeTrackingFormat,
    attributesFormat,
  ],
  {
    error: (issue) => {
      if (issue.code !== 'invalid_union') return undefined
      const { input } = issue
      const name: unknown = typeof input === 'object' && input !== null && 'type' in input ? input.type : input
      const problem =
        typeof name === 'object' && name === input
          ? 'A format has no `type`'
          : `Format ${shorten(JSON.stringify(name) ?? 'undefined', 100)} is not supported`
      return `${problem}. Supported formats: ${formatNames.join(', ')}`
    },
  },
)

const formatNames = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'images',
  'summary',
  'product',
  'branding',
  'rawBase64',
  'question',
  'query',
  'highlights',
  'screenshot',
  'screenshot@fullPage',
  'json',
  'changeTracking',
  'attributes',
]

/** A format of a scraped page with its options. */
export type Format = z.output<typeof formatObject>

/**
 * A format as callers send it: an object, or only its name.
 *
 * @example
 * ```ts
 * import { Bowline, type FormatInput } from 'bowline'
 *
 * const hrefs = { selector: 'a', attribute: 'href' }
 * const formats: FormatInput[] = ['markdown', 'links', { type: 'attributes', selectors: [hrefs] }]
 * const { links, attributes } = await new Bowline().scrape('https://example.com', { formats })
 * console.log(links, attributes)
 * ```
 */
export type FormatInput = z.input<typeof formatObject> | 'screenshot@fullPage' | FormatName

/** Names of the formats that need no options. */
type FormatName = Exclude<Format['type'], WithOptions>
type WithOptions = 'attributes' | 'question' | 'query' | 'highlights'

const withOptions: ReadonlySet<string> = new Set<WithOptions>(['attributes', 'question', 'query', 'highlights'])

function spellOut(value: unknown): unknown {
  if (value === 'screenshot@fullPage') return { type: 'screenshot', fullPage: true }
  return typeof value === 'string' ? { type: value } : value
}

/** Schema of a format. A name is expanded to an object. */
export const format = withShorthand(
  formatObject,
  spellOut,
  formatNames.filter((name) => !withOptions.has(name)),
) as unknown as z.ZodType<Format, FormatInput>
