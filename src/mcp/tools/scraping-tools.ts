import { z } from 'zod'
import type { Document } from '../../contract/document.ts'
import { estimateTokens, cutToTokens } from '../snapshot/estimate-tokens.ts'
import { assertAllowedUrl } from './allowed-url.ts'
import { textResult } from './result.ts'
import { readLocalFile } from './local-files.ts'
import type { ToolOptions } from '../tool-options.ts'
import { serviceTool, type Tool, type ToolContext } from './tool.ts'
import { countOf } from '../../kit/count-of.ts'
import { createDomainFilter } from '../../kit/domain-pattern.ts'
import { quotePage } from '../../kit/quote-page.ts'

const maxTokens = z.int().min(100).max(100_000).default(10_000).describe('Maximum size of the result in tokens')

const scrape = serviceTool({
  name: 'scrape',
  title: 'Scrape a page',
  description: 'Loads a page without a browser session, and returns its main content as Markdown.',
  input: {
    url: z.string().describe('URL of the page or PDF'),
    format: z.enum(['markdown', 'html', 'rawHtml', 'links']).default('markdown'),
    onlyMainContent: z.boolean().default(true).describe('Leave out navigation, footers and the like'),
    includeComments: z.boolean().optional().describe("Keep or remove readers' comments. Default: if they are content"),
    waitFor: z.int().min(0).max(60_000).optional().describe('Milliseconds to wait after the page has loaded'),
    offset: z.int().min(0).default(0).describe('Character to start at, to read on in a long page'),
    maxTokens,
  },
  isReadOnly: true,
  run: async ({ url, format, onlyMainContent, includeComments, waitFor, offset, maxTokens: limit }, context) => {
    assertAllowedUrl(url, context.options.allowedDomains)
    const document = await context.bowline().scrape(
      url,
      {
        formats: [format],
        onlyMainContent,
        includeComments,
        ...(waitFor === undefined ? {} : { waitFor }),
        ...onlyAllowedHosts(context.options),
      },
      { signal: context.signal },
    )
    assertAllowedPage(document, context.options)
    const content = document[format]
    const text = typeof content === 'string' ? content : (content ?? []).join('\n')
    const { statusCode, title } = document.metadata
    return textResult(
      `${url}: status ${statusCode}, ${countOf(text.length, 'character')}`,
      quotePage(`title: ${String(title ?? '')}\n${cutToTokens(text.slice(offset), limit)}`),
    )
  },
})

const parse = serviceTool({
  name: 'parse',
  title: 'Convert a file',
  description:
    'Converts a file of at most 4 MB, such as a PDF, DOCX, XLSX, PPTX, ODT, EPUB, RTF or CSV, and returns its content as Markdown.',
  input: {
    name: z.string().min(1).max(255).describe('Name of the file. Its extension tells the format'),
    text: z.string().optional().describe('Content of a text file'),
    base64: z.string().optional().describe('Content of another file'),
    path: z.string().optional().describe('Path in the local folder of the tools, if there is one, instead of content'),
    offset: z.int().min(0).default(0).describe('Character to start at, to read on in a long document'),
    maxTokens,
  },
  isReadOnly: true,
  run: async ({ name, text, base64 = '', path, offset, maxTokens: limit }, { bowline, options, signal }) => {
    const given = text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)
    const content = path === undefined ? given : (await readLocalFile(path, options)).buffer
    const { markdown = '', metadata } = await bowline().parse(new File([new Uint8Array(content)], name), {}, { signal })
    return textResult(
      `${name}: ${countOf(markdown.length, 'character')}`,
      quotePage(`title: ${String(metadata.title ?? '')}\n${cutToTokens(markdown.slice(offset), limit)}`),
    )
  },
})

const map = serviceTool({
  name: 'map',
  title: 'List the pages of a site',
  description: 'Returns the URLs of a site, from its sitemaps and links.',
  input: {
    url: z.string().describe('URL of the site'),
    search: z.string().optional().describe('Words that the pages are about. The most relevant come first'),
    limit: z.int().min(1).max(1000).default(100),
  },
  isReadOnly: true,
  run: async ({ url, search, limit }, { bowline, options, signal }) => {
    assertAllowedUrl(url, options.allowedDomains)
    const { links, warning } = await bowline().map(
      url,
      { limit, ...(search === undefined ? {} : { search }), ...onlyAllowedHosts(options) },
      { signal },
    )
    const lines = links.map((link) => [link.url, link.title].filter((text) => text !== undefined).join(' '))
    return textResult(
      `${countOf(links.length, 'page')}:`,
      ...(warning === undefined ? [] : [warning]),
      quotePage(cutToTokens(lines.join('\n'), 4 * options.maxTokens)),
    )
  },
})

const search = serviceTool({
  name: 'search',
  title: 'Search the web',
  description: 'Searches the web, and returns titles, URLs and descriptions, of allowed hosts if they are restricted.',
  input: {
    query: z.string().min(1).max(500),
    limit: z.int().min(1).max(50).default(10),
  },
  isReadOnly: true,
  run: async ({ query, limit }, { bowline, options, signal }) => {
    const { web: found, warning } = await bowline().search(query, { limit }, { signal })
    // Texts of other hosts could mislead the agent as well as their pages.
    const web = found.filter(({ url = '' }) => isAllowedUrl(url, options))
    const lines = web.map(({ title, url, description = '' }) => `- ${title ?? ''}\n  ${url}\n  ${description}`)
    return textResult(
      `${countOf(web.length, 'result')}${web.length < found.length ? ', without those of hosts that are not allowed' : ''}:`,
      ...(warning === undefined ? [] : [warning]),
      quotePage(cutToTokens(lines.join('\n'), 4 * options.maxTokens)),
    )
  },
})

const extract = serviceTool({
  name: 'extract',
  title: 'Extract data from pages',
  description: 'Reads pages with the language model of the server, and returns the requested data as JSON.',
  input: {
    urls: z.array(z.string()).min(1).max(10).describe('URLs of pages. One that ends in /* includes those below'),
    prompt: z.string().optional().describe('Description of the data'),
    schema: z.record(z.string(), z.unknown()).optional().describe('JSON schema of the data'),
  },
  isReadOnly: true,
  run: async ({ urls, prompt, schema }, { bowline, options, signal }) => {
    for (const url of urls) assertAllowedUrl(url, options.allowedDomains)
    const request = {
      ...(prompt === undefined ? {} : { prompt }),
      ...(schema === undefined ? {} : { schema }),
      scrapeOptions: onlyAllowedHosts(options),
    }
    const { data, warning } = await bowline().extract(urls, request, { signal })
    return textResult(...(warning === undefined ? [] : [warning]), quotePage(JSON.stringify(data, null, 1)))
  },
})

const crawl = serviceTool({
  name: 'crawl',
  title: 'Scrape a site',
  description: 'Follows the links of a site, and returns the main content of its pages as Markdown.',
  input: {
    url: z.string().describe('URL to start at'),
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of pages'),
    includePaths: z.array(z.string()).optional().describe('Regular expressions that paths must match'),
    timeout: z.int().min(5).max(600).default(50).describe('Seconds after which the crawl is cancelled'),
    maxTokens,
  },
  isReadOnly: true,
  run: async ({ url, limit, includePaths, timeout, maxTokens: maximum }, context) => {
    assertAllowedUrl(url, context.options.allowedDomains)
    const { documents, isComplete } = await collectPages({ url, limit, includePaths }, timeout, context)
    const end = isComplete ? '' : `, cancelled after ${timeout} s`
    return textResult(`${countOf(documents.length, 'page')}${end}:`, quotePage(shareTokens(documents, maximum)))
  },
})

/** Tools of the service that need no browser session. */
export const scrapingTools: readonly Tool[] = [scrape, parse, map, search, extract, crawl]

interface CrawlOrder {
  readonly url: string
  readonly limit: number
  readonly includePaths: readonly string[] | undefined
}

/** Collects the pages of a crawl until it is complete or its time is over. */
async function collectPages(
  { url, limit, includePaths }: CrawlOrder,
  timeoutSeconds: number,
  { bowline, options: allowed, signal: cancelled }: ToolContext,
): Promise<{ readonly documents: readonly Document[]; readonly isComplete: boolean }> {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
  const signal = AbortSignal.any([cancelled, timeout])
  const options = {
    limit,
    ...(includePaths === undefined ? {} : { includePaths: [...includePaths] }),
    scrapeOptions: onlyAllowedHosts(allowed),
  }
  const documents: Document[] = []
  try {
    for await (const document of bowline().crawl(url, options, { signal })) {
      if (isAllowedPage(document, allowed)) documents.push(document)
    }
    return { documents, isComplete: true }
  } catch (error) {
    if (!timeout.aborted) throw error
    return { documents, isComplete: false }
  }
}

/** Options that keep the server from pages, redirects and frames of hosts that are not allowed. */
function onlyAllowedHosts({ allowedDomains }: AllowedHosts): { readonly allowedDomains?: string[] } {
  return allowedDomains === undefined ? {} : { allowedDomains: [...allowedDomains] }
}

type AllowedHosts = Pick<ToolOptions, 'allowedDomains'>

/** Throws EGRESS_REFUSED for a page that a redirect has led to another host. */
function assertAllowedPage({ metadata }: Document, { allowedDomains }: AllowedHosts): void {
  const { url } = metadata
  if (typeof url === 'string') assertAllowedUrl(url, allowedDomains)
}

function isAllowedPage({ metadata }: Document, options: AllowedHosts): boolean {
  return typeof metadata.url !== 'string' || isAllowedUrl(metadata.url, options)
}

function isAllowedUrl(url: string, { allowedDomains }: AllowedHosts): boolean {
  return (
    allowedDomains === undefined || (URL.canParse(url) && createDomainFilter(allowedDomains)?.(new URL(url)) === true)
  )
}

/** Joins pages, each cut to an equal share of the tokens that short pages leave. */
function shareTokens(documents: readonly Document[], maxTokens: number): string {
  const texts = documents.map(({ markdown = '', metadata }) => `# ${metadata.sourceURL ?? ''}\n${markdown ?? ''}`)
  const bySize = texts.toSorted((one, other) => one.length - other.length)
  const cut = new Map<string, string>()
  let left = maxTokens
  for (const [index, text] of bySize.entries()) {
    const shown = cutToTokens(text, Math.max(20, Math.floor(left / (bySize.length - index))))
    left -= estimateTokens(shown)
    cut.set(text, shown)
  }
  return texts.map((text) => cut.get(text)).join('\n\n')
}
