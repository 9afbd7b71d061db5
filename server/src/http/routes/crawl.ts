import type { CrawlRequest } from 'bowline/contract/crawl'
import { sentUrl } from 'bowline/contract/page-url'
import { maxUrlLength } from 'bowline/kit/canonical-url'
import { BowlineError } from 'bowline/kit/errors'
import { hashRequest } from '../../jobs/hash-request.ts'
import { toCrawlPage } from '../../jobs/choose-links.ts'
import type { CrawlPlan } from '../../jobs/crawl-plan.ts'
import { crawlOptions } from '../../jobs/job-options.ts'
import type { LanguageModel } from '../../scrape/format/language-model.ts'
import { optionsFromPrompt } from '../../jobs/crawl-prompt.ts'
import { withLinks } from '../../jobs/page-links.ts'
import { v1Crawl } from '../../compat/v1-crawl.ts'
import { jobHandlers } from '../job-handlers.ts'
import { jobPath } from '../job-status.ts'
import type { Call, Handlers } from '../register.ts'
import type { BatchRouteDeps } from './batch.ts'
import { keepsNoData } from '../../jobs/keeps-no-data.ts'

type Started = Awaited<ReturnType<NonNullable<Handlers['startCrawl']>>>

/** Options that only API v1 has. */
interface V1CrawlOptions {
  readonly maxPathDepth: number | undefined
  readonly showsExtract: boolean
}

/** Dependencies of the crawl routes. */
export interface CrawlRouteDeps extends BatchRouteDeps {
  /** Reads prompts of crawls. If `undefined`, prompts are ignored. */
  readonly languageModel: LanguageModel | undefined
}

/** Routes of crawls. */
export function crawlHandlers(deps: CrawlRouteDeps): Handlers {
  const { get, cancel, errors } = jobHandlers(deps.jobs)
  return {
    startCrawl: async ({ body }, call) => {
      const { prompt = '' } = body
      if (prompt.trim() === '') return start(deps, { body }, call)
      const { languageModel } = deps
      if (languageModel === undefined) return { ...(await start(deps, { body }, call)), warning: noModelWarning }
      const { key, idempotencyKey } = call
      const known = await deps.jobs.findStarted({ teamId: key.teamId, idempotencyKey, ...hashRequest(body) })
      // A repeated request does not ask the model again.
      const promptOptions = known === undefined ? await optionsFromPrompt(languageModel, { url: body.url, prompt }) : {}
      const started = await start(deps, { body, promptOptions }, call)
      // For a repeated request, the plan of the first crawl, even if both requests ran at the same time.
      const { plan } = await deps.jobs.find({ id: started.id, teamId: call.key.teamId })
      const { prompt: _prompt, scrapeOptions: _scrapeOptions, ...options } = { ...plan.crawl?.options }
      const promptGeneratedOptions = { ...plan.crawl?.promptOptions }
      const isWithoutEffect = Object.keys(promptGeneratedOptions).length === 0
      return {
        ...started,
        promptGeneratedOptions,
        finalCrawlerOptions: { url: body.url, ...options },
        ...(isWithoutEffect && { warning: noOptionsWarning }),
      }
    },
    startV1Crawl: async ({ body }, call) => {
      const showsExtract = body.scrapeOptions.formats.includes('extract')
      return start(deps, { body: v1Crawl(body), v1: { maxPathDepth: body.maxDepth, showsExtract } }, call)
    },
    listActiveCrawls: async (_input, { key }) => ({
      success: true,
      crawls: (await deps.jobs.active(key.teamId, 'crawl')).map(({ id, teamId, target, createdAt, plan }) => ({
        id,
        teamId,
        url: target,
        created_at: createdAt.toISOString(),
        options: crawlOptions(plan),
      })),
    }),
    previewCrawl: async ({ body: { url, prompt } }) => {
      const { languageModel } = deps
      if (languageModel === undefined) throw noPrompt()
      return { success: true, data: { ...(await optionsFromPrompt(languageModel, { url, prompt })), url } }
    },
    getCrawl: get,
    cancelCrawl: cancel,
    getCrawlErrors: errors,
  }
}

interface CrawlStart {
  readonly body: CrawlRequest
  readonly v1?: V1CrawlOptions
  /** Options from the prompt. Those that the client has sent take precedence. */
  readonly promptOptions?: Partial<CrawlRequest>
}

async function start(
  { jobs, scrapes }: BatchRouteDeps,
  { body, v1, promptOptions }: CrawlStart,
  call: Call,
): Promise<Started> {
  const { key, apiVersion: version, baseUrl, idempotencyKey } = call
  const request = {
    ...body.scrapeOptions,
    formats: withLinks(body.scrapeOptions.formats),
    zeroDataRetention: keepsNoData(body),
  }
  scrapes.check({ ...request, url: body.url })
  const sent: object = call.sentBody ?? {}
  const derived = Object.entries(promptOptions ?? {}).filter(([name]) => !Object.hasOwn(sent, name))
  const crawl = { ...toPlan({ ...body, ...Object.fromEntries(derived) }, v1), promptOptions }
  const { webhook, maxConcurrency } = body
  const { id } = await jobs.start({
    kind: 'crawl',
    version,
    teamId: key.teamId,
    apiKeyId: key.id,
    baseUrl,
    idempotencyKey,
    ...hashRequest(body, v1 && { maxPathDepth: v1.maxPathDepth, ...(v1.showsExtract && { showsExtract: true }) }),
    plan: {
      submissions: [{ request, showsExtract: v1?.showsExtract ?? false, hidesLinks: true }],
      webhook,
      maxConcurrency,
      crawl,
    },
    pages: [
      {
        url: body.url,
        sourceUrl: sentUrl(call.sentBody, body.url),
        identity: toCrawlPage(body.url, crawl)?.identity ?? body.url.slice(0, maxUrlLength),
      },
    ],
  })
  return { success: true, id, url: `${baseUrl}${jobPath({ id, kind: 'crawl' }, version)}` }
}

const noModelWarning =
  'The prompt was ignored because this server has no language model. The crawl runs with its other options.'

const noOptionsWarning = 'The language model derived no options from the prompt. The crawl runs with its other options.'

function noPrompt(): BowlineError {
  return new BowlineError('FORMAT_UNAVAILABLE', 'Crawl prompts need a language model, and none is configured', {
    hint: 'Start the server with `--llm-url` and `--llm-model`, or use `includePaths`, `excludePaths`, `limit` and `maxDiscoveryDepth`.',
  })
}

function toPlan(body: CrawlRequest, v1: V1CrawlOptions | undefined): CrawlPlan {
  const { url, webhook: _webhook, origin: _origin, integration: _integration, ...options } = body
  const { limit, maxDiscoveryDepth, includePaths, excludePaths, regexOnFullURL, sitemap, delay } = options
  const { allowExternalLinks, allowSubdomains, ignoreQueryParameters, ignoreRobotsTxt } = options
  return {
    url,
    limit,
    maxDiscoveryDepth,
    maxPathDepth: v1?.maxPathDepth,
    includePaths,
    excludePaths,
    regexOnFullURL,
    crawlEntireDomain: options.crawlEntireDomain ?? false,
    allowExternalLinks,
    allowSubdomains,
    ignoreQueryParameters,
    sitemap,
    ignoreRobotsTxt,
    delay,
    options,
  }
}
