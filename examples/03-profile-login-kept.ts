// Signs in once and stays signed in in later sessions: a profile keeps cookies and storage.
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'

const url = process.argv[2] ?? 'https://example.com'
const bowline = new Bowline()

// Writes the profile. One session at a time can do this.
const first = await bowline.withSession(
  { ttl: 60, driver: playwright, profile: { name: 'example' } },
  async ({ context, page }) => {
    await page.goto(url)
    await context.addCookies([{ name: 'user', value: 'ann', url }]) // a real site sets cookies when you sign in
  },
)
console.log(`Saved version ${first.profile?.version}`)

// Reads the profile. Any number of sessions can do this at once.
const { result } = await bowline.withSession(
  { ttl: 60, driver: playwright, profile: { name: 'example', saveChanges: false } },
  async ({ context }) => (await context.cookies(url)).map(({ name, value }) => `${name}=${value}`),
)
console.log(`Still there: ${result.join(', ')}`)
