import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { playwright } from '../../../src/playwright.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const colours = [
  [200, 0, 0],
  [0, 150, 0],
  [0, 0, 200],
  [190, 190, 0],
  [0, 170, 170],
] as const

/**
 * Shows each colour for a while. Logs and requests its number once the browser has drawn it, which
 * a busy machine does late.
 */
const showColours = `(async () => {
  const drawn = []
  for (const [index, colour] of ${JSON.stringify(colours)}.entries()) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    document.body.style.background = 'rgb(' + colour.join() + ')'
    for (let frame = 0; frame < 2; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    drawn.push(Date.now())
    console.log('colour ' + index)
    await fetch('/colour-' + index)
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  return drawn
})()`

/** Declares a function that returns the index of the colour in the middle of an image or video. */
const colourIndex = `const colours = ${JSON.stringify(colours)}
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
  const colourIndex = (image, width, height) => {
    context.drawImage(image, width / 2, height / 2, 1, 1, 0, 0, 1, 1)
    const { data } = context.getImageData(0, 0, 1, 1)
    return colours.findIndex((colour) => colour.every((value, at) => Math.abs(value - data[at]) < 40))
  }`

/** The times of the player at which its picture first has each colour, found by bisection. */
const pictureTimes = `(async () => {
  ${colourIndex}
  const [video, time] = [document.querySelector('video'), document.querySelector('#time')]
  const indexAt = async (ms) => {
    time.value = ms
    time.dispatchEvent(new Event('input'))
    if (video.seeking) await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
    return colourIndex(video, video.videoWidth, video.videoHeight)
  }
  const times = []
  for (const index of colours.keys()) {
    let [before, after] = [times.at(-1) ?? 0, Number(time.max)]
    while (after - before > 20) {
      const middle = Math.round((before + after) / 2)
      if ((await indexAt(middle)) < index) before = middle
      else after = middle
    }
    times.push(after)
  }
  return times
})()`

/** Returns the indexes of the colours of JPEG images. */
const indexesOf = `async (images) => {
  ${colourIndex}
  return Promise.all(images.map(async (image) => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/jpeg;base64,' + image)).blob())
    return colourIndex(bitmap, bitmap.width, bitmap.height)
  }))
}`

/** Milliseconds from drawing a colour until the screencast of a browser has it, without Bowline. */
async function screencastDelay(browser: Browser, url: string): Promise<number> {
  await using page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
  await page.goto(url)
  const frames: { readonly data: string; readonly ms: number }[] = []
  const cdp = await page.context().newCDPSession(page)
  cdp.on('Page.screencastFrame', ({ data, sessionId, metadata: { timestamp = 0 } }) => {
    frames.push({ data, ms: timestamp * 1000 })
    cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined)
  })
  await cdp.send('Page.startScreencast', { format: 'jpeg', quality: 50 })
  const drawn = await page.evaluate<readonly number[]>(showColours)
  await cdp.send('Page.stopScreencast')
  const indexes = await page.evaluate<readonly number[]>(
    `(${indexesOf})(${JSON.stringify(frames.map(({ data }) => data))})`,
  )
  return median(drawn.map((ms, index) => (frames[indexes.indexOf(index)]?.ms ?? Infinity) - ms))
}

/** The median of five, since a busy machine can draw a single picture late. */
function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[2] ?? Infinity
}

test('the picture, the console and the requests of a recording are at the same time of the player', async () => {
  const blank = fixedPage('Colours', '<p>White</p>')
  await using site = await startSite({
    '/colours': blank,
    ...Object.fromEntries(colours.map((_, index) => [`/colour-${index}`, blank])),
  })
  await using lab = await startLab()
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  const { result: session } = await bowline.withSession({ driver: playwright, record: true }, async (work) => {
    await work.page.goto(site.url('/colours'))
    await work.page.evaluate(showColours)
    return work.session
  })
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'player.html')
  await session.recordings.download('player.html', path)
  await using browser = await chromium.launch({ executablePath: lab.server.browser.path })
  const page = await browser.newPage()
  await page.goto(pathToFileURL(path).href)
  await page.locator('#time:enabled').waitFor()
  const timeOfRow = async (name: string): Promise<number> => {
    await page.getByRole('button', { name }).click()
    return Number(await page.getByLabel('Time').inputValue())
  }

  const pictures = await page.evaluate<readonly number[]>(pictureTimes)
  const apart = []
  for (const [index, picture] of pictures.entries()) {
    const logged = await timeOfRow(`colour ${index}`)
    const requested = await timeOfRow(`/colour-${index}`)
    apart.push({ picture: picture - logged, request: requested - logged })
  }
  expect(apart.filter(({ request }) => Math.abs(request) > 100)).toEqual([])
  const delay = await screencastDelay(browser, site.url('/colours'))
  expect(Math.abs(median(apart.map(({ picture }) => picture)) - delay)).toBeLessThan(100)
})
