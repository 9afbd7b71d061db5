import { z } from 'zod'
import { crawlRequest, type CrawlRequest } from 'bowline/contract/crawl'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { extractJson, type LanguageModel } from '../scrape/format/language-model.ts'

/** The options of a crawl that a language model may write. */
const promptOptions = z.object(
  (({
    includePaths,
    excludePaths,
    maxDiscoveryDepth,
    crawlEntireDomain,
    allowExternalLinks,
    allowSubdomains,
    sitemap,
    ignoreQueryParameters,
    delay,
    limit,
  }) => ({
    includePaths,
    excludePaths,
    maxDiscoveryDepth,
    crawlEntireDomain,
    allowExternalLinks,
    allowSubdomains,
    sitemap,
    ignoreQueryParameters,
    delay,
    limit,
  }))(crawlRequest.shape),
)

type PromptOptions = Partial<Pick<CrawlRequest, keyof z.output<typeof promptOptions>>>

const schema = z.toJSONSchema(promptOptions, { io: 'input', unrepresentable: 'any' })

const instructions =
  'The text below is the wish of somebody who crawls a web site. Answer the options of the crawl that fulfil it, and ' +
  'leave out every option that the wish does not call for. Paths are regular expressions for the path of an address.'

/** Has a language model write the options of a crawl. Throws BAD_REQUEST when it does not, or the signal's reason. */
export async function optionsFromPrompt(
  model: LanguageModel,
  { url, prompt, signal }: Abortable & { readonly url: string; readonly prompt: string },
): Promise<PromptOptions> {
  try {
    const markdown = `Site: ${url}\n\nWish: ${prompt}`
    const answer = await extractJson(model, { markdown, schema, prompt: instructions, signal })
    const written = Object.entries(z.record(z.string(), z.unknown()).parse(answer)).filter(
      ([, value]) => value !== null,
    )
    const options: Record<string, unknown> = promptOptions.partial().parse(Object.fromEntries(written))
    // The defaults of the schema are not the model's wish.
    return Object.fromEntries(Object.entries(options).filter(([name]) => written.some(([key]) => key === name)))
  } catch (cause) {
    signal?.throwIfAborted()
    const message = 'Failed to process natural language prompt. Please try rephrasing or use explicit crawler options.'
    throw new BowlineError('BAD_REQUEST', message, { cause })
  }
}
