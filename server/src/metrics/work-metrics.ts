import { checkStatus } from 'bowline/contract/monitor-checks'
import { errorCodes, serverFaultCodes } from './error-code-of.ts'
import { longSeconds, outcomes, shortSeconds, waitSeconds, type MetricDefinition } from './metric-definition.ts'

/** Metrics of scrapes. */
export const scrapeMetrics = {
  bowline_scrapes_total: {
    type: 'counter',
    help: 'Attempts to scrape a page, by `success` or error code',
    labels: { outcome: ['success', ...errorCodes] },
    initial: ['success', ...serverFaultCodes],
  },
  bowline_scrape_formats_total: {
    type: 'counter',
    help: 'Formats of successful scrapes',
    labels: { format: 'type of the format, such as `markdown`' },
  },
  bowline_scrape_seconds: {
    type: 'histogram',
    help: 'Duration of successful scrapes without queues, by how the page was loaded',
    unit: 'seconds',
    labels: { source: ['http', 'browser', 'cache', 'session', 'file'] },
    buckets: [...longSeconds, 300],
  },
  bowline_fetch_seconds: {
    type: 'histogram',
    help: 'Duration of the HTTP requests for pages, with redirects and the body',
    unit: 'seconds',
    labels: { outcome: outcomes },
    buckets: longSeconds,
  },
  bowline_render_seconds: {
    type: 'histogram',
    help: 'Time in which pages loaded in a browser and were captured',
    unit: 'seconds',
    labels: { outcome: outcomes },
    buckets: longSeconds,
  },
  bowline_render_wait_seconds: {
    type: 'histogram',
    help: 'Time that scrapes have waited because `--max-pages` pages were open in browsers',
    unit: 'seconds',
    buckets: waitSeconds,
  },
  bowline_render_pages_open: { type: 'gauge', help: 'Pages of scrapes that are open in browsers' },
  bowline_render_pages_waiting: { type: 'gauge', help: 'Scrapes that wait because `--max-pages` pages are open' },
  bowline_scrape_queue_wait_seconds: {
    type: 'histogram',
    help: 'Time that scrapes have waited for a concurrency slot of their team',
    unit: 'seconds',
    buckets: waitSeconds,
  },
  bowline_scrape_cache_requests_total: {
    type: 'counter',
    help: 'Scrapes by whether the cache had the page. skipped: the options exclude the cache',
    labels: { result: ['hit', 'miss', 'skipped'] },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** Metrics of jobs, monitors, webhooks and credits. */
export const workMetrics = {
  bowline_jobs_open: { type: 'gauge', help: 'Batches and crawls that are running', isShared: true },
  bowline_job_oldest_seconds: {
    type: 'gauge',
    help: 'Age of the oldest running batch or crawl',
    unit: 'seconds',
    isShared: true,
  },
  bowline_job_pages_waiting: { type: 'gauge', help: 'Pages of running jobs that are not done', isShared: true },
  bowline_monitor_checks_total: {
    type: 'counter',
    help: 'Checks of monitors that ended, by status',
    labels: { status: checkStatus.exclude(['queued', 'running']).options },
  },
  bowline_monitor_checks_late: {
    type: 'gauge',
    help: 'Due checks of monitors that have not started for a minute',
    isShared: true,
  },
  bowline_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts to deliver a webhook. retrying: failed, with a retry left; failed: given up',
    labels: { outcome: ['delivered', 'retrying', 'failed'] },
  },
  bowline_webhook_attempt_seconds: {
    type: 'histogram',
    help: 'Time in which receivers of webhooks responded or failed',
    unit: 'seconds',
    buckets: shortSeconds,
  },
  bowline_webhooks_pending: { type: 'gauge', help: 'Webhook deliveries to send or retry', isShared: true },
  bowline_credits_billed_total: {
    type: 'counter',
    help: 'Credits billed, by the kind of work',
    unit: 'credits',
    labels: { kind: ['session', 'scrape', 'job', 'map', 'search', 'extract', 'agent', 'monitor'] },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>
