import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { LanguageModel } from './format/language-model.ts'

/** Refuses what this server is not set up for, before any work. Throws FORMAT_UNAVAILABLE, BAD_REQUEST. */
export function assertAvailable(
  deps: { readonly languageModel: LanguageModel | undefined },
  { formats, zeroDataRetention, profile, fastMode, actions = [] }: ScrapeRequest,
): void {
  const extracting = formats.find(
    (format) =>
      format.type === 'json' ||
      format.type === 'summary' ||
      (format.type === 'changeTracking' && format.modes.includes('json')),
  )
  if (extracting !== undefined && deps.languageModel === undefined) {
    throw new BowlineError(
      'FORMAT_UNAVAILABLE',
      `The format ${extracting.type}${extracting.type === 'changeTracking' ? ' in its mode json' : ''} needs a language model, and none is configured`,
    )
  }
  if (zeroDataRetention && formats.some(({ type }) => type === 'changeTracking')) {
    throw new BowlineError('BAD_REQUEST', 'changeTracking keeps the page, and zeroDataRetention forbids it')
  }
  if (zeroDataRetention && profile?.saveChanges === true) {
    throw new BowlineError('BAD_REQUEST', 'A profile keeps what pages store, and zeroDataRetention forbids it', {
      hint: 'Use `saveChanges: false`.',
    })
  }
  if (fastMode && actions.length > 0) {
    throw new BowlineError('BAD_REQUEST', 'Actions need a browser, and fastMode forbids it')
  }
}
