import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations } from '../../../test/lab/axe.ts'
import { lineAt, openPlayerFixture, requestAt, type Played, type PlayerFixture } from './player-fixture.ts'

let fixture: PlayerFixture
beforeAll(async () => {
  fixture = await openPlayerFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

const typical: Played = {
  entries: [
    requestAt(0, '/api/prices'),
    requestAt(400, '/logo.png'),
    requestAt(2500, '/api/cart', { status: 503, statusText: 'Service Unavailable' }),
  ],
  lines: [lineAt(100, 'log', 'started'), lineAt(2600, 'error', 'The cart is gone'), lineAt(2900, 'warning', 'slow')],
  videoMs: 2000,
}

/** More rows than fit, with one request and one message every 100 ms. */
const full: Played = {
  entries: Array.from({ length: 40 }, (_, index) => requestAt(index * 100, `/api/${index}`)),
  lines: Array.from({ length: 40 }, (_, index) => lineAt(index * 100, 'log', `message ${index}`)),
}

/** Counts above the lists that the select beside them touches. */
const coveredCounts = `[...document.querySelectorAll('.bar .count')]
  .filter((count) => {
    const text = new Range()
    text.selectNodeContents(count)
    const { left } = count.nextElementSibling.getBoundingClientRect()
    return count.checkVisibility() && text.getBoundingClientRect().right > left - 4
  })
  .map(({ textContent }) => textContent)`

test('plays the video instead of seeking each frame, and its clock shows the time of the video', async () => {
  await using player = await fixture.open(typical)
  const { page } = player
  await page.evaluate(`window.events = []
    video = document.querySelector('video')
    for (const type of ['seeking', 'play', 'waiting', 'playing', 'pause', 'ended'])
      video.addEventListener(type, () => events.push(type + ' at ' + video.currentTime))`)

  await page.getByLabel('Speed').selectOption('4')
  await page.getByRole('button', { name: 'Play' }).click()
  await expect.poll(async () => page.evaluate('video.currentTime')).toBeGreaterThan(0.5)
  // One frame has one time of the video and one of the clock.
  const drift = await page.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => {
    resolve(document.querySelector('#time').value - 1000 - video.currentTime * 1000)
  }))`)
  // Until the end: a click on Pause could come after it, and would play from the start.
  await page.getByRole('button', { name: 'Play' }).waitFor()
  const events = await page.evaluate<string[]>('events')

  expect(Math.abs(drift)).toBeLessThan(100)
  const seeks = events.filter((each) => each.startsWith('seeking'))
  expect(seeks.length, events.join(', ')).toBeLessThanOrEqual(1)
  expect(await page.locator('#clock').textContent()).toBe('0:03.0 / 0:03.0')
  expect(await page.locator('.later').count()).toBe(0)
  expect(player.errors).toEqual([])
})

test('pauses, and continues where it was', async () => {
  await using player = await fixture.open(typical)
  const { page } = player
  const play = page.getByRole('button', { name: 'Play' })
  await play.click()

  // In the page, since a click from outside can come after the end.
  await page.evaluate(`new Promise((resolve) => {
    video = document.querySelector('video')
    seeks = []
    const step = () => {
      if (video.currentTime < 0.1) return requestAnimationFrame(step)
      document.querySelector('#play').click()
      video.addEventListener('seeking', () => seeks.push(video.currentTime))
      resolve()
    }
    step()
  })`)
  await play.waitFor()
  expect(await page.evaluate('video.paused && video.currentTime < video.duration')).toBe(true)
  await play.click()
  await play.waitFor()

  // A pause may move the video by some milliseconds, to the time of the clock.
  expect(await page.evaluate<number[]>('seeks.filter((seconds) => seconds < 0.05)')).toEqual([])
  expect(await page.locator('#clock').textContent()).toBe('0:03.0 / 0:03.0')
})

test('shows the details of a request and of a message, and returns the focus to its row', async () => {
  await using player = await fixture.open(typical)
  const { page } = player

  await page.getByRole('button', { name: '/api/cart' }).click()
  const details = page.getByRole('region', { name: 'GET /api/cart' })
  const texts = await details.locator('dd, pre').allTextContents()
  await details.getByRole('button', { name: 'Close the details' }).click()
  const focused = await page.evaluate('document.activeElement.textContent')
  await page.getByRole('button', { name: 'The cart is gone' }).click()
  const message = await page.getByRole('region', { name: 'Message' }).textContent()
  await page.keyboard.press('Escape')

  expect(texts).toEqual(
    expect.arrayContaining([
      'https://shop.example/api/cart?page=2',
      '503 Service Unavailable',
      '*/*',
      '20 ms',
      '{\n  "price": {\n    "eur": 12\n  }\n}',
    ]),
  )
  expect(focused).toContain('/api/cart')
  expect(message).toContain('https://shop.example/app.js:4:2')
  expect(await page.locator('.details').isVisible()).toBe(false)
  expect(await player.time()).toBe(2600)
})

test('shows the size of a response without a content type', async () => {
  const untyped = requestAt(0, '/beacon', { content: { size: 13, mimeType: '' } })
  await using player = await fixture.open({ entries: [untyped], lines: [] })
  await player.page.getByRole('button', { name: '/beacon' }).click()

  const texts = await player.page.getByRole('region', { name: 'GET /beacon' }).locator('dd').allTextContents()
  expect(texts).toContain('13 B, 120 B transferred')
})

test('has rows that are reached with one Tab and chosen with arrow keys and Enter', async () => {
  await using player = await fixture.open(typical)
  const { page } = player
  await page.getByLabel('Search the console').focus()

  for (const key of ['Tab', 'End', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
  const time = await player.time()
  for (const key of ['Escape', 'Tab', 'Tab', 'Tab']) await page.keyboard.press(key)
  const row = await page.evaluate('document.activeElement.textContent')
  await page.keyboard.press('Tab')

  expect(time).toBe(2600)
  expect(row).toContain('/api/cart')
  expect(await page.evaluate('document.activeElement.id')).toBe('play')
})

test('filters its lists by text and kind', async () => {
  await using player = await fixture.open(typical)
  const { page } = player
  const rows = page.locator('.network li:visible')

  await page.getByLabel('Search the requests').fill('API')
  const found = await rows.count()
  await page.getByLabel('Type of the requests').selectOption('failed')
  const failed = await rows.allTextContents()
  await page.getByLabel('Search the requests').fill('nothing like this')
  const count = await page.locator('.network .count').textContent()

  expect(found).toBe(2)
  expect(failed).toEqual([expect.stringContaining('/api/cart')])
  expect(count).toBe('0 of 3')
  expect(await page.locator('.network .empty').textContent()).toBe('Nothing matches the filter')
})

test('shows its counts beside the filters on a phone, inside the dashboard', async () => {
  await using player = await fixture.open(typical, { viewport: { width: 350, height: 590 }, hasTouch: true })

  expect(await player.page.locator('.bar .count:visible').allTextContents()).toEqual(['3', '3'])
  expect(await player.page.evaluate(coveredCounts)).toEqual([])
})

test('opens at the time of its link, follows the current time in its lists, and copies a link', async () => {
  await using player = await fixture.open(full, { hash: '#t=3.1', permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = player
  const isInView = async (text: string): Promise<boolean> =>
    page.evaluate(`(() => {
      const row = [...document.querySelectorAll('.console li')].find((li) => li.textContent.endsWith('${text}'))
      const [box, list] = [row, row.parentElement].map((element) => element.getBoundingClientRect())
      return box.top >= list.top - 1 && box.bottom <= list.bottom + 1
    })()`)

  expect(await player.time()).toBe(3100)
  expect(await isInView('message 31')).toBe(true)
  await page.getByLabel('Time').press('ArrowLeft')
  expect(await player.time()).toBe(2100)
  expect(await isInView('message 21')).toBe(true)
  expect(page.url()).toMatch(/#t=2.1$/)
  await page.getByLabel('Follow').uncheck()
  await page.getByLabel('Time').press('Home')
  expect(await isInView('message 0')).toBe(false)
  await page.keyboard.press('l')
  await page.getByRole('button', { name: 'Copy link' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^file:.*#t=3.9$/)
  expect(player.errors).toEqual([])
})

test('marks pages, console errors and failed requests on its timeline, and starts at the first entry', async () => {
  await using player = await fixture.open({
    entries: [
      requestAt(1500, '/'),
      requestAt(2000, '/gone', { status: 404 }),
      requestAt(2001, '/lost', { status: 0, _error: 'net::ERR_FAILED' }),
    ],
    lines: [lineAt(1600, 'log', 'started'), lineAt(2500, 'error', 'broken')],
    pagesMs: [1500],
    // From 1 s to 3 s.
    videoMs: 2000,
  })
  const { page } = player
  const marks = await page.evaluate(`(() => {
    const track = document.querySelector('#marks').getBoundingClientRect()
    return [...document.querySelectorAll('#marks i')].map((mark) => {
      const { left, width } = mark.getBoundingClientRect()
      return [mark.className, Math.round((2000 * (left + width / 2 - track.left)) / track.width)]
    })
  })()`)

  // Times since the start of the video. Two failed requests at one place have one mark.
  expect(marks).toEqual([
    ['navigation', 500],
    ['error', 1500],
    ['failed', 1000],
  ])
  expect(await player.time()).toBe(500)
  expect(await page.locator('[aria-current]').allTextContents()).toEqual([expect.stringContaining('GET https://shop')])
  await page.getByLabel('Time').press('Home')
  expect(await player.time()).toBe(0)
  expect(player.errors).toEqual([])
})

test('starts where the video is no longer blank', async () => {
  const played = { ...typical, entries: [requestAt(1100, '/')], lines: [], videoMs: 2000 }
  await using player = await fixture.open({ ...played, blankMs: 700 })
  await using blank = await fixture.open({ ...played, blankMs: 2000 })

  // The video starts at 0, and the request 100 ms later.
  expect(await player.time()).toBe(700)
  expect(await blank.time()).toBe(100)
  expect([...player.errors, ...blank.errors]).toEqual([])
})

test.each([
  ['no entry', { entries: [], lines: [] }, ['No messages', 'No requests']],
  ['no file', {}, ['The console was not recorded', 'Requests were not recorded']],
])('with %s it says so, and shows a time', async (_name, played, texts) => {
  await using player = await fixture.open(played)
  const { page } = player

  expect(await page.locator('#clock').textContent()).toBe('0:00.0 / 0:00.0')
  expect(await page.locator('.list .empty').allTextContents()).toEqual(texts)
  expect(await page.getByRole('button', { name: 'Play' }).isDisabled()).toBe(true)
  expect(player.errors).toEqual([])
})

test('is named after its session, and does not announce its clock', async () => {
  await using player = await fixture.open(typical)
  const { page } = player

  expect(await page.title()).toBe('Nightly export · recording')
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Nightly export')
  expect(await page.getByText('Session 0b6f7d5a').isVisible()).toBe(true)
  expect(
    await page.locator('#clock').evaluate((clock) => clock.closest('output, [aria-live], [role=status]')),
  ).toBeNull()
})

test.each([
  ['on a desk in light colours', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }, full],
  ['on a phone in dark colours', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true }, {}],
] as const)('has no accessibility violations %s', async (_name, options, other) => {
  await using player = await fixture.open(other, options)
  await using detailed = await fixture.open(typical, { ...options, hash: '#t=2.7' })
  await detailed.page.getByRole('button', { name: '/api/cart' }).click()

  for (const { page } of [player, detailed]) {
    expect(await findViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
  }
})
