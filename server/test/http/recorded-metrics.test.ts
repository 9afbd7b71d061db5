import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startSite } from '../../../test/lab/site.ts'
import { createMonitor, runCheck } from '../monitors/fixture.ts'

type Values = Readonly<Record<string, number>>

/** Reads all series by their name and labels, as in `bowline_jobs_open` or `x_total{code="A"}`. */
async function readMetrics(lab: Lab): Promise<Values> {
  const { body } = await lab.api('GET', '/metrics')
  const lines = String(body['text']).matchAll(/^(bowline_\w+(?:\{[^}]*\})?) (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)]))
}

/** Returns the series that changed between two readings, without buckets and sums. */
function changes(before: Values, after: Values): Values {
  const changed = Object.entries(after).filter(([name, value]) => value !== (before[name] ?? 0))
  return Object.fromEntries(
    changed
      .filter(([name]) => /_total\b|_count\b/.test(name) && !name.includes('bowline_request_seconds'))
      .map(([name, value]) => [name, value - (before[name] ?? 0)]),
  )
}

test('scrapes are recorded by outcome, format and source, with their steps and credits', async () => {
  await using site = await startSite()
  await using lab = await startLab()
  const scrape = async (path: string, options: object = {}) =>
    lab.api('POST', '/v2/scrape', { url: site.url(path), formats: ['markdown'], ...options })
  const before = await readMetrics(lab)
  await scrape('/title?text=Moored')
  await scrape('/title?text=Moored', { formats: ['markdown', 'links'] })
  await scrape('/title?text=Moored', { mobile: true, maxAge: 0 })
  await lab.api('POST', '/v2/scrape', { url: 'http://127.0.0.1:1/', maxAge: 0 })

  const after = changes(before, await readMetrics(lab))

  expect(after).toEqual({
    'bowline_scrapes_total{outcome="success"}': 3,
    'bowline_scrapes_total{outcome="SCRAPE_SITE_ERROR"}': 1,
    'bowline_scrape_formats_total{format="markdown"}': 3,
    'bowline_scrape_formats_total{format="links"}': 1,
    'bowline_scrape_seconds_count{source="http"}': 1,
    'bowline_scrape_seconds_count{source="cache"}': 1,
    'bowline_scrape_seconds_count{source="browser"}': 1,
    'bowline_fetch_seconds_count{outcome="success"}': 1,
    'bowline_fetch_seconds_count{outcome="error"}': 1,
    'bowline_render_seconds_count{outcome="success"}': 1,
    bowline_render_wait_seconds_count: 1,
    bowline_scrape_queue_wait_seconds_count: 4,
    'bowline_scrape_cache_requests_total{result="miss"}': 1,
    'bowline_scrape_cache_requests_total{result="hit"}': 1,
    'bowline_scrape_cache_requests_total{result="skipped"}': 2,
    'bowline_request_errors_total{code="SCRAPE_SITE_ERROR"}': 1,
    'bowline_browser_start_seconds_count{outcome="success"}': 1,
    bowline_browsers_launched_total: 1,
    'bowline_credits_billed_total{kind="scrape"}': 3,
    bowline_egress_sent_bytes_total: expect.any(Number),
    bowline_egress_received_bytes_total: expect.any(Number),
  })
})

test('scrapes that time out or are cancelled do not count as failures of the server', async () => {
  await using site = await startSite({ '/never-answers': () => undefined })
  await using lab = await startLab()
  const before = await readMetrics(lab)
  const url = site.url('/never-answers')
  const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/json' }
  const leaving = new AbortController()
  const left = fetch(`${lab.server.url}/v2/scrape`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url }),
    signal: leaving.signal,
  }).catch(() => undefined)
  const { body: batch } = await lab.api('POST', '/v2/batch/scrape', { urls: [`${url}?batch`] })
  await expect.poll(() => site.requests.all.length).toBe(2)
  leaving.abort()
  await lab.api('DELETE', `/v2/batch/scrape/${batch['id']}`)
  await lab.api('POST', '/v2/scrape', { url, timeout: 1000 })
  await left

  await expect
    .poll(async () => changes(before, await readMetrics(lab)), { timeout: 10_000 })
    .toMatchObject({
      'bowline_scrapes_total{outcome="ABORTED"}': 2,
      'bowline_scrapes_total{outcome="SCRAPE_TIMEOUT"}': 1,
      'bowline_fetch_seconds_count{outcome="cancelled"}': 2,
      'bowline_fetch_seconds_count{outcome="error"}': 1,
    })
  expect(changes(before, await readMetrics(lab))).not.toHaveProperty(['bowline_scrapes_total{outcome="UNKNOWN_ERROR"}'])
})

test('sessions are recorded with their start, failures, CDP connections and memory', async () => {
  await using lab = await startLab({ maxSessions: 1 })
  const session = await lab.createSession()
  await lab.api('POST', '/v2/browser', {})
  await lab.api('POST', '/v2/browser', { profile: { name: 'p', saveChanges: true }, ttl: 7 })
  const browser = await chromium.connectOverCDP(session.cdpUrl)
  await expect(chromium.connectOverCDP(`${session.cdpUrl}wrong`)).rejects.toThrow()
  // The first collection starts to measure.
  await expect
    .poll(async () => (await readMetrics(lab))['bowline_session_memory_bytes_count'], { timeout: 10_000 })
    .toBe(1)
  const live = await readMetrics(lab)
  await browser.close()
  await lab.api('DELETE', `/v2/browser/${session.id}`)

  const after = changes({}, await readMetrics(lab))

  expect(after).toMatchObject({
    bowline_session_start_seconds_count: 1,
    'bowline_session_start_failures_total{reason="CONCURRENCY_LIMIT"}': 1,
    'bowline_request_errors_total{code="CONCURRENCY_LIMIT"}': 1,
    'bowline_request_errors_total{code="BAD_REQUEST"}': 1,
    'bowline_cdp_connect_seconds_count{outcome="success"}': 1,
    'bowline_cdp_connect_seconds_count{outcome="refused"}': 1,
    'bowline_sessions_ended_total{reason="deleted"}': 1,
    'bowline_credits_billed_total{kind="session"}': 2,
  })
  expect(live).toMatchObject({
    bowline_sessions_live: 1,
    bowline_leaked_browsers: 0,
    bowline_leaked_contexts: 0,
    bowline_leaked_directories: 0,
    'bowline_database_connections{state="idle"}': expect.any(Number),
    bowline_database_connections_max: 7,
  })
  expect(live['bowline_session_memory_bytes_sum']).toBeGreaterThan(20e6)
  expect(live['bowline_database_size_bytes']).toBeGreaterThan(1e6)
  expect(live['bowline_data_dir_bytes{part="browsers"}']).toBeGreaterThan(1000)
})

test('webhooks, checks of monitors and credits are recorded by outcome and kind', async () => {
  await using site = await startSite()
  await using receiver = await startReceiver((count) => (count === 1 ? 500 : 200))
  await using lab = await startLab()
  const before = await readMetrics(lab)
  const url = site.url('/title?text=Moored')
  await lab.api('POST', '/v2/batch/scrape', { urls: [url], webhook: { url: receiver.url() } })
  await receiver.whenReceived(3)
  await lab.api('POST', '/v2/map', { url })
  const missing = 'http://127.0.0.1:1/'
  const good = await createMonitor(lab.api, { targets: [{ type: 'scrape', urls: [url] }] })
  const bad = await createMonitor(lab.api, { targets: [{ type: 'scrape', urls: [missing] }] })
  await runCheck(lab.api, good['id'])
  await runCheck(lab.api, bad['id'])

  await expect
    .poll(async () => changes(before, await readMetrics(lab)))
    .toMatchObject({
      'bowline_webhook_attempts_total{outcome="retrying"}': 1,
      'bowline_webhook_attempts_total{outcome="delivered"}': 2,
      bowline_webhook_attempt_seconds_count: 3,
      'bowline_monitor_checks_total{status="completed"}': 1,
      'bowline_monitor_checks_total{status="failed"}': 1,
      'bowline_credits_billed_total{kind="job"}': 1,
      'bowline_credits_billed_total{kind="map"}': 1,
      'bowline_credits_billed_total{kind="monitor"}': 1,
    })
})
