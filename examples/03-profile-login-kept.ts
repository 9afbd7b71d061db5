// Signs in once, and is still signed in in every later session: a profile keeps cookies and storage.
// Needs BOWLINE_BASE_URL and BOWLINE_API_KEY, as 01 does.
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

// Writes the profile: one session at a time can.
const first = await bowline.withSession(
  { ttl: 60, driver: playwright, profile: { name: 'example' } },
  async ({ context, page }) => {
    await page.goto(url)
    await context.addCookies([{ name: 'user', value: 'ann', url }]) // as a form would after signing in
  },
)
console.log(`Saved version ${first.profile?.version}`)

// Reads it: any number of sessions can, at the same time.
const { result } = await bowline.withSession(
  { ttl: 60, driver: playwright, profile: { name: 'example', saveChanges: false } },
  async ({ context }) => (await context.cookies(url)).map(({ name, value }) => `${name}=${value}`),
)
console.log(`Still there: ${result.join(', ')}`)
