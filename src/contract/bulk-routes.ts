import * as batch from './batch.ts'
import * as bulk from './bulk.ts'
import * as crawl from './crawl.ts'
import { bodyBytes, type Route } from './route.ts'

/** The endpoints of batches and crawls. */
export const bulkRoutes = {
  startBatch: {
    method: 'POST',
    path: '/v2/batch/scrape',
    summary: 'Scrape many pages: starts a job, or adds to one',
    body: batch.batchRequest,
    maxBodyBytes: bodyBytes.list,
    response: bulk.startBulkResponse,
  },
  startV1Batch: {
    method: 'POST',
    path: '/v1/batch/scrape',
    summary: 'Scrape many pages, by the first version of the API',
    body: batch.v1BatchRequest,
    maxBodyBytes: bodyBytes.list,
    response: bulk.startBulkResponse,
  },
  getBatch: {
    method: 'GET',
    path: '/v2/batch/scrape/{id}',
    aliases: ['/v1/batch/scrape/{id}'],
    summary: 'Read what a batch is doing, and its documents so far',
    params: bulk.bulkParams,
    query: bulk.bulkStatusQuery,
    response: bulk.bulkStatusResponse,
  },
  cancelBatch: {
    method: 'DELETE',
    path: '/v2/batch/scrape/{id}',
    aliases: ['/v1/batch/scrape/{id}'],
    summary: 'Cancel a batch; what it has scraped stays',
    params: bulk.bulkParams,
    response: bulk.cancelBulkResponse,
  },
  getBatchErrors: {
    method: 'GET',
    path: '/v2/batch/scrape/{id}/errors',
    aliases: ['/v1/batch/scrape/{id}/errors'],
    summary: 'List the pages of a batch that failed, and why',
    params: bulk.bulkParams,
    response: bulk.bulkErrorsResponse,
  },
  startCrawl: {
    method: 'POST',
    path: '/v2/crawl',
    summary: 'Scrape the pages of a site, following its links',
    body: crawl.crawlRequest,
    maxBodyBytes: bodyBytes.options,
    response: bulk.startBulkResponse,
  },
  startV1Crawl: {
    method: 'POST',
    path: '/v1/crawl',
    summary: 'Scrape the pages of a site, by the first version of the API',
    body: crawl.v1CrawlRequest,
    maxBodyBytes: bodyBytes.options,
    response: bulk.startBulkResponse,
  },
  listActiveCrawls: {
    method: 'GET',
    path: '/v2/crawl/active',
    aliases: ['/v2/crawl/ongoing', '/v1/crawl/active', '/v1/crawl/ongoing'],
    summary: 'List the crawls of the team that run, newest first',
    response: crawl.activeCrawlsResponse,
  },
  previewCrawl: {
    method: 'POST',
    path: '/v2/crawl/params-preview',
    summary: 'Turn a prompt into options of a crawl, with the language model of the server',
    body: crawl.crawlPreviewRequest,
    response: crawl.crawlPreviewResponse,
  },
  getCrawl: {
    method: 'GET',
    path: '/v2/crawl/{id}',
    aliases: ['/v1/crawl/{id}'],
    summary: 'Read what a crawl is doing, and its documents so far',
    params: bulk.bulkParams,
    query: bulk.bulkStatusQuery,
    response: bulk.bulkStatusResponse,
  },
  cancelCrawl: {
    method: 'DELETE',
    path: '/v2/crawl/{id}',
    aliases: ['/v1/crawl/{id}'],
    summary: 'Cancel a crawl; what it has scraped stays',
    params: bulk.bulkParams,
    response: bulk.cancelBulkResponse,
  },
  getCrawlErrors: {
    method: 'GET',
    path: '/v2/crawl/{id}/errors',
    aliases: ['/v1/crawl/{id}/errors'],
    summary: 'List the pages of a crawl that failed, and why',
    params: bulk.bulkParams,
    response: bulk.bulkErrorsResponse,
  },
} as const satisfies Record<string, Route>
