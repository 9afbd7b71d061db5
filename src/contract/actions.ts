import { z } from 'zod'
import { withAlternative } from './alternative.ts'
import { parseKeys } from './keyboard-keys.ts'
import { shorten } from './validation-issues.ts'

/** A CSS selector. */
export const selector = z.string().min(1).max(2000)

const viewport = z.strictObject({ width: z.int().min(1).max(7680), height: z.int().min(1).max(4320) })
const quality = z.int().min(1).max(100)

/** Options of a screenshot. */
export const screenshotFields = {
  /** Captures the whole page instead of the viewport. Default: false. */
  fullPage: z.boolean().default(false),
  /** JPEG quality, 1 to 100. Default: PNG. */
  quality: quality.optional(),
  /** Viewport size in CSS pixels. Default: 1280 x 720, or that of a phone with `mobile`. */
  viewport: viewport.optional(),
}

/** Waits for a time or for an element. */
export const waitAction = z
  .strictObject({
    type: z.literal('wait'),
    /** Time in milliseconds. */
    milliseconds: z.int().positive().optional(),
    /** CSS selector of an element to wait for. */
    selector: selector.optional(),
  })
  .refine(({ milliseconds, selector }) => (milliseconds === undefined) !== (selector === undefined), {
    error: 'A wait action must have either `milliseconds` or `selector`',
  })

/** Paper formats of a PDF. */
export const paperFormat = z.enum(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'])

/** Clicks an element. */
export const clickAction = z.strictObject({
  type: z.literal('click'),
  /** CSS selector of the element. */
  selector,
  /** Clicks all elements that match. Default: false, only the first. */
  all: z.boolean().default(false),
})

/** Takes a screenshot, listed in `actions.screenshots` of the document. */
export const screenshotAction = z.strictObject({ type: z.literal('screenshot'), ...screenshotFields })

/** Types into the focused element. Click the element first. */
export const writeAction = z.strictObject({ type: z.literal('write'), text: z.string().max(100_000) })

/** Presses a key. */
export const pressAction = z.strictObject({
  type: z.literal('press'),
  /** A key or a combination, such as `Enter`, `a`, `Control+A` or `Shift+Tab`. */
  key: z
    .string()
    .max(100)
    .refine((key) => parseKeys(key) !== undefined, {
      error: ({ input }) =>
        `${shorten(JSON.stringify(input) ?? 'undefined', 100)} has an unknown key. Use the key names of Playwright, such as Enter, ArrowDown, F5, a or Control+A`,
    }),
})

/** Scrolls by one screen. */
export const scrollAction = z.strictObject({
  type: z.literal('scroll'),
  /** Default: `down`. */
  direction: z.enum(['up', 'down']).default('down'),
  /** CSS selector of the element to scroll. Default: the page. */
  selector: selector.optional(),
})

/**
 * Runs a script and returns its result. All results of a scrape may have 4 MB in total. A BigInt is
 * returned as a string of its digits.
 */
export const executeJavascriptAction = z.strictObject({
  type: z.literal('executeJavascript'),
  script: z.string().max(500_000),
})

/** Prints the page as a PDF, listed in `actions.pdfs` of the document. */
export const pdfAction = z.strictObject({
  type: z.literal('pdf'),
  /** Default: false. */
  landscape: z.boolean().default(false),
  /** Scale, 0.1 to 2. Default: 1. */
  scale: z.number().min(0.1).max(2).default(1),
  /** Paper format. Default: `Letter`. */
  format: paperFormat.default('Letter'),
})

const actionObject = z.discriminatedUnion('type', [
  waitAction,
  clickAction,
  screenshotAction,
  writeAction,
  pressAction,
  scrollAction,
  z.strictObject({ type: z.literal('scrape') }),
  executeJavascriptAction,
  pdfAction,
])

/** A step on a page before its content is read. */
export const action = withAlternative(actionObject, normalizeName, pdfAction.extend({ type: z.literal('generatePDF') }))

/** Maximum number of actions of a scrape. */
export const maxActions = 50

/**
 * Maximum sum of `waitFor` and all wait actions of a scrape, in milliseconds. A wait for a selector
 * counts as one second.
 */
export const maxWaitMs = 60_000

/** Returns the total wait of the actions in milliseconds. A wait for a selector counts as 1000. */
export function waitOfActions(actions: readonly Action[]): number {
  return actions.reduce((sum, each) => sum + (each.type === 'wait' ? (each.milliseconds ?? 1000) : 0), 0)
}

/** Accepts `generatePDF`, the name of the action `pdf` in some clients. */
function normalizeName(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'generatePDF'
    ? { ...value, type: 'pdf' }
    : value
}

/**
 * A step on a page before its content is read.
 *
 * @example
 * ```ts
 * import { Bowline, type Action } from 'bowline'
 *
 * const actions: Action[] = [
 *   { type: 'wait', selector: 'body' },
 *   { type: 'executeJavascript', script: 'document.title' },
 * ]
 * const { actions: results } = await new Bowline().scrape('https://example.com', {
 *   formats: ['markdown'],
 *   actions,
 * })
 * console.log(results?.javascriptReturns)
 * ```
 */
export type Action = z.output<typeof action>
