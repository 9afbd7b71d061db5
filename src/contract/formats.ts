import { z } from 'zod'
import { withShorthand } from './shorthand.ts'
import { screenshotFields, selector } from './actions.ts'
import { boundedArray } from './bounded.ts'
import { shorten } from './validation-issues.ts'

function bare<Name extends string>(name: Name) {
  return z.strictObject({ type: z.literal(name) })
}

/** Most formats of one scrape: each kind is possible once. */
export const maxFormats = 20

/** A JSON Schema as callers send it. */
export const jsonSchema = z
  .record(z.string(), z.unknown())
  .refine(
    (schema) => JSON.stringify(schema).length <= 100_000,
    'The schema must have at most 100,000 characters of JSON',
  )

const formatObject = z.discriminatedUnion(
  'type',
  [
    bare('markdown'),
    bare('html'),
    bare('rawHtml'),
    bare('links'),
    bare('images'),
    bare('summary'),
    z.strictObject({ type: z.literal('screenshot'), ...screenshotFields }),
    z.strictObject({
      type: z.literal('json'),
      schema: jsonSchema.optional(),
      prompt: z.string().max(10_000).optional(),
      /** Accepted and without effect: the model is always told to follow no instruction of the page. */
      checkPromptInjection: z.boolean().optional(),
    }),
    z.strictObject({
      type: z.literal('changeTracking'),
      modes: boundedArray(z.enum(['git-diff', 'json']), 2).default([]),
      schema: jsonSchema.optional(),
      prompt: z.string().max(10_000).optional(),
      tag: z.string().max(200).nullable().default(null),
    }),
    z.strictObject({
      type: z.literal('attributes'),
      selectors: boundedArray(z.strictObject({ selector, attribute: z.string().min(1).max(200) }), 100, 1),
    }),
  ],
  {
    error: (issue) => {
      if (issue.code !== 'invalid_union') return undefined
      const name = (issue.input as { type?: unknown } | undefined)?.type
      return `This server has no format ${shorten(JSON.stringify(name) ?? 'undefined', 100)}. It has ${formatNames.join(', ')}`
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
  'screenshot',
  'screenshot@fullPage',
  'json',
  'changeTracking',
  'attributes',
]

/** One thing that is wanted of a page. */
export type Format = z.output<typeof formatObject>

/** A format as callers write it: an object, or its name alone. */
export type FormatInput = z.input<typeof formatObject> | 'screenshot@fullPage' | Exclude<Format['type'], 'attributes'>

function spellOut(value: unknown): unknown {
  if (value === 'screenshot@fullPage') return { type: 'screenshot', fullPage: true }
  return typeof value === 'string' ? { type: value } : value
}

/** A format, with its name alone spelt out as an object. */
export const format = withShorthand(
  formatObject,
  spellOut,
  formatNames.filter((name) => name !== 'attributes'),
) as unknown as z.ZodType<Format, FormatInput>
