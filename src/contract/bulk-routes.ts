import * as batch from './batch.ts'
import * as bulk from './bulk.ts'
import * as crawl from './crawl.ts'
import { bodyBytes, type Route } from './route.ts'

/** Routes of batches and crawls. */
export const bulkRoutes = {
  startBatch: {
    method: 'POST',
    path: '/v2/batch/scrape',
    summary: 'Start a batch, or add URLs to a batch',
    body: batch.batchRequest,
    maxBodyBytes: bodyBytes.list,
    response: bulk.startBulkResponse,
  },
  startV1Batch: {
    method: 'POST',
    path: '/v1/batch/scrape',
    summary: 'Start a batch (API v1)',
    body: batch.v1BatchRequest,
    maxBodyBytes: bodyBytes.list,
    response: bulk.startBulkResponse,
  },
  getBatch: {
    method: 'GET',
    path: '/v2/batch/scrape/{id}',
    aliases: ['/v1/batch/scrape/{id}'],
    summary: 'Get the status and the documents of a batch',
    params: bulk.bulkParams,
    query: bulk.bulkStatusQuery,
    response: bulk.bulkStatusResponse,
  },
  cancelBatch: {
    method: 'DELETE',
    path: '/v2/batch/scrape/{id}',
    aliases: ['/v1/batch/scrape/{id}'],
    summary: 'Cancel a batch and keep its documents',
    params: bulk.bulkParams,
    response: bulk.cancelBulkResponse,
  },
  getBatchErrors: {
    method: 'GET',
    path: '/v2/batch/scrape/{id}/errors',
    aliases: ['/v1/batch/scrape/{id}/errors'],
    summary: 'List the failed pages of a batch and their errors',
    params: bulk.bulkParams,
    response: bulk.bulkErrorsResponse,
  },
  startCrawl: {
    method: 'POST',
    path: '/v2/crawl',
    summary: 'Start a crawl of a site',
    body: crawl.crawlRequest,
    maxBodyBytes: bodyBytes.options,
    response: bulk.startBulkResponse,
  },
  startV1Crawl: {
    method: 'POST',
    path: '/v1/crawl',
    summary: 'Start a crawl of a site (API v1)',
    body: crawl.v1CrawlRequest,
    maxBodyBytes: bodyBytes.options,
    response: bulk.startBulkResponse,
  },
  listActiveCrawls: {
    method: 'GET',
    path: '/v2/crawl/active',
    aliases: ['/v2/crawl/ongoing', '/v1/crawl/active', '/v1/crawl/ongoing'],
    summary: 'List the active crawls of the team, newest first',
    response: crawl.activeCrawlsResponse,
  },
  previewCrawl: {
    method: 'POST',
    path: '/v2/crawl/params-preview',
    summary: 'Convert a prompt to crawl options with the language model of the server',
    body: crawl.crawlPreviewRequest,
    response: crawl.crawlPreviewResponse,
  },
  getCrawl: {
    method: 'GET',
    path: '/v2/crawl/{id}',
    aliases: ['/v1/crawl/{id}'],
    summary: 'Get the status and the documents of a crawl',
    params: bulk.bulkParams,
    query: bulk.bulkStatusQuery,
    response: bulk.bulkStatusResponse,
  },
  cancelCrawl: {
    method: 'DELETE',
    path: '/v2/crawl/{id}',
    aliases: ['/v1/crawl/{id}'],
    summary: 'Cancel a crawl and keep its documents',
    params: bulk.bulkParams,
    response: bulk.cancelBulkResponse,
  },
  getCrawlErrors: {
    method: 'GET',
    path: '/v2/crawl/{id}/errors',
    aliases: ['/v1/crawl/{id}/errors'],
    summary: 'List the failed pages of a crawl and their errors',
    params: bulk.bulkParams,
    response: bulk.bulkErrorsResponse,
  },
} as const satisfies Record<string, Route>
