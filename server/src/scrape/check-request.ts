import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { assertJsonSchema } from '../json-schema/assert-json-schema.ts'
import { needsLanguageModel } from './format/model-formats.ts'
import type { LanguageModel } from './format/language-model.ts'

/**
 * Rejects requests that this server is not configured for, and options that contradict each other.
 * Throws FORMAT_UNAVAILABLE, BAD_REQUEST.
 */
export function assertScrapeSupported(
  deps: { readonly languageModel: LanguageModel | undefined },
  { formats, zeroDataRetention, profile, fastMode, lockdown, minAge, actions = [] }: ScrapeRequest,
): void {
  const modelFormat = formats.find(needsLanguageModel)
  if (modelFormat !== undefined && deps.languageModel === undefined) {
    throw new BowlineError(
      'FORMAT_UNAVAILABLE',
      `The format ${modelFormat.type}${modelFormat.type === 'changeTracking' ? ' with mode json' : ''} needs a language model, and none is configured`,
    )
  }
  for (const format of formats) if ('schema' in format) assertJsonSchema(format.schema)
  if (zeroDataRetention && formats.some(({ type }) => type === 'changeTracking')) {
    throw new BowlineError('BAD_REQUEST', 'changeTracking stores the page, which zeroDataRetention forbids')
  }
  if ((lockdown || minAge !== undefined) && formats.some(({ type }) => type === 'changeTracking')) {
    const option = lockdown ? 'lockdown' : 'minAge'
    throw new BowlineError('BAD_REQUEST', `changeTracking loads the page, which ${option} forbids`, {
      hint: `Remove \`${option}\` or the format changeTracking.`,
    })
  }
  if (zeroDataRetention && profile !== undefined && profile.saveChanges !== false) {
    throw new BowlineError('BAD_REQUEST', 'A profile stores the data of pages, which zeroDataRetention forbids', {
      hint: 'Use `saveChanges: false`.',
    })
  }
  if (fastMode && actions.length > 0) {
    throw new BowlineError('BAD_REQUEST', 'Actions need a browser, which fastMode forbids')
  }
}
