// Opens a remote browser, reads the title of a page and prints the bill.
// Start a server with `npm start`, set BOWLINE_BASE_URL and BOWLINE_API_KEY to the values it prints,
// and run `npm run example 01`.
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

const { result, sessionDurationMs, creditsBilled } = await bowline.withSession(
  { ttl: 60, driver: playwright },
  async ({ page }) => {
    await page.goto(url)
    return page.title()
  },
)

console.log(`${result} (${sessionDurationMs} ms, ${creditsBilled} credits)`)
