// Reads the titles of many pages with two sessions and a budget of ten credits. Run it again to
// resume from the checkpoint.
// node examples/04-pool-with-budget.ts CHECKPOINT URL…
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'

const [checkpoint = 'titles.jsonl', ...given] = process.argv.slice(2)
const urls = given.length > 0 ? given : ['https://example.com', 'https://example.org']
const bowline = new Bowline()
const pool = bowline.pool({ driver: playwright, size: 2, budget: 10, checkpoint, order: 'input', timeoutMs: 30_000 })
console.log(`About ${pool.estimate({ items: urls.length, itemMs: 1000 }).credits} credits`)

const run = pool.run(urls, async (url, { page }) => {
  await page.goto(url)
  return page.title()
})

for await (const { item, result, error } of run) console.log(`${item}: ${result ?? String(error)}`)

const { done, failed, resumed, stoppedBy } = await run.done()
console.log(`${done} done (${resumed} of them before), ${failed} failed, stopped by: ${stoppedBy}`)
