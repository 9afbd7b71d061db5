// Watches a page, and says what changed since the last time: this time at once, else every morning at six.
// Needs BOWLINE_BASE_URL and BOWLINE_API_KEY, as 01 does.
import { Bowline } from 'bowline'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

const monitor = await bowline.monitors.create({
  name: 'Prices',
  schedule: { cron: '0 6 * * *', timezone: 'Europe/Berlin' },
  targets: [{ type: 'scrape', urls: [url] }],
})

for (const round of ['first', 'second']) {
  const { pages } = await bowline.monitors.runToEnd(monitor.id)
  for (const page of pages) console.log(`${round} check: ${page.status} ${page.diff?.text ?? ''}`.trim())
}

await bowline.monitors.delete(monitor.id)
