import { z } from 'zod'
import { crawlRequest, type CrawlRequest } from 'bowline/contract/crawl'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { extractJson, type LanguageModel } from '../scrape/format/language-model.ts'

/** Crawl options that a language model may set. */
const promptOptions = z.object(crawlRequest.shape).pick({
  includePaths: true,
  excludePaths: true,
  maxDiscoveryDepth: true,
  crawlEntireDomain: true,
  allowExternalLinks: true,
  allowSubdomains: true,
  sitemap: true,
  ignoreQueryParameters: true,
  delay: true,
  limit: true,
})

type PromptOptions = Partial<Pick<CrawlRequest, keyof z.output<typeof promptOptions>>>

const schema = z.toJSONSchema(promptOptions, { io: 'input', unrepresentable: 'any' })

const instructions =
  'The text below describes which pages of a website a user wants to crawl. Return the crawl options for it, and ' +
  'omit every option that the request does not call for. Paths are regular expressions for the path of a URL.'

/**
 * Generates crawl options from a prompt with a language model. Throws BAD_REQUEST if that fails, or
 * the signal's reason.
 */
export async function optionsFromPrompt(
  model: LanguageModel,
  { url, prompt, signal }: Abortable & { readonly url: string; readonly prompt: string },
): Promise<PromptOptions> {
  try {
    const markdown = `Site: ${url}\n\nRequest: ${prompt}`
    const answer = await extractJson(model, { markdown, schema, prompt: instructions, signal })
    const generated = Object.entries(z.record(z.string(), z.unknown()).parse(answer)).filter(
      ([, value]) => value !== null,
    )
    const options: Record<string, unknown> = promptOptions.partial().parse(Object.fromEntries(generated))
    // Drop defaults that the schema added.
    return Object.fromEntries(Object.entries(options).filter(([name]) => generated.some(([key]) => key === name)))
  } catch (cause) {
    signal?.throwIfAborted()
    const message = 'Failed to process natural language prompt. Please try rephrasing or use explicit crawler options.'
    throw new BowlineError('BAD_REQUEST', message, { cause })
  }
}
