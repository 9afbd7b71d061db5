import type { Client, ClientDeps } from './load.ts'

/** Scrapes single pages, some of them with a browser. */
export function scrapePages({ requests, site, counts }: ClientDeps): Client {
  return async (random, stop, pause) => {
    for (let number = 1; !stop.aborted; number += 1) {
      counts.scrapeRequests += 1
      const options = number % 4 === 0 ? { formats: ['screenshot'] } : {}
      const url = site.url(`/work?scrape=${number}`)
      const answer = await requests.send(random, 'POST', '/v2/scrape', { url, maxAge: 0, ...options })
      if (answer?.status === 200) counts.scrapes += 1
      await pause(random.whole(50, 300))
    }
  }
}

/** Sends batches and crawls. */
export function sendJobs({ requests, site, jobs, webhookUrl, batchPages }: ClientDeps): Client {
  return async (random, stop, pause) => {
    while (!stop.aborted) {
      const urls = Array.from({ length: batchPages }, (_, index) =>
        site.url(`/work?ms=400&batch=${index}${index % 9 === 8 ? '&fails' : ''}`),
      )
      const batch = await requests.send(random, 'POST', '/v2/batch/scrape', { urls, maxAge: 0, webhook: webhookUrl })
      if (batch?.status === 200)
        jobs.push({ path: '/v2/batch/scrape', id: String(batch.body['id']), kind: 'batch', pages: urls.length })
      const crawl = await requests.send(random, 'POST', '/v2/crawl', {
        url: site.url('/start'),
        limit: 10,
        sitemap: 'skip',
        scrapeOptions: { maxAge: 0 },
        webhook: webhookUrl,
      })
      if (crawl?.status === 200)
        jobs.push({ path: '/v2/crawl', id: String(crawl.body['id']), kind: 'crawl', pages: undefined })
      await pause(random.whole(8000, 15_000))
    }
  }
}

/** Runs the checks of a monitor. */
export function runChecks({ requests, site, checks, webhookUrl }: ClientDeps): Client {
  return async (random, stop, pause) => {
    let monitor: string | undefined
    while (!stop.aborted) {
      if (monitor === undefined) {
        const urls = Array.from({ length: 4 }, (_, index) => site.url(`/work?ms=300&monitor=${index}`))
        const created = await requests.send(random, 'POST', '/v2/monitor', {
          name: 'Work',
          schedule: { text: 'daily' },
          targets: [{ type: 'scrape', urls }],
          webhook: webhookUrl,
        })
        monitor = created?.status === 200 ? String(created.body['data'].id) : undefined
      } else {
        const check = await requests.send(random, 'POST', `/v2/monitor/${monitor}/run`, {})
        if (check?.status === 200) checks.push(`/v2/monitor/${monitor}/checks/${check.body['id']}`)
      }
      await pause(random.whole(1500, 5000))
    }
  }
}
