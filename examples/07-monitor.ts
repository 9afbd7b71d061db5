// Creates a monitor that checks a page daily at six, runs two checks now and prints the changes.
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
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
