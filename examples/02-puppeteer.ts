// Drives a page with Puppeteer, with a timeout, and prints the bill even if the function throws.
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
import { Bowline } from 'bowline'
import { puppeteer } from 'bowline/puppeteer'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

const { result } = await bowline.withSession(
  {
    ttl: 60,
    driver: puppeteer,
    timeoutMs: 30_000,
    onEnd: (bill) => console.log(`Ended by ${bill.endedBy}, ${bill.creditsBilled} credits`),
  },
  async ({ page }) => {
    await page.goto(url)
    return page.$$eval('a', (links) => links.map((link) => link.getAttribute('href')))
  },
)

console.log(`Links: ${result.join(', ')}`)
