import { playwright } from '../../src/playwright.ts'
import { openStudio } from './studio.mjs'

const recorded = { width: 1120, height: 630 }
const window = { width: 1240, height: 800 }

/** Takes a picture of the recording of a session, with the details of a failed request. */
export async function takePlayer(path) {
  await using undo = new AsyncDisposableStack()
  const { site, server, camera, api } = undo.use(await openStudio())
  const session = await api('POST', '/v2/browser', { name: 'Berth for the Fram', record: true })
  await bookBerth(session, site.url)
  await api('DELETE', `/v2/browser/${session.id}`)

  const { url } = await findPlayer({ server, session })
  const viewer = await camera.newPage({ viewport: window, deviceScaleFactor: 1.5, colorScheme: 'light' })
  await viewer.goto(url)
  await viewer.getByRole('button', { name: '/tides' }).click()
  await pause(viewer, 800)
  await viewer.screenshot({ path })
}

async function bookBerth(session, url) {
  await using handles = await playwright.connect(session)
  const { page } = handles
  await page.setViewportSize(recorded)
  await page.goto(url)
  await page.locator('[name=boat]').pressSequentially('Fram', { delay: 150 })
  await page.locator('[name=metres]').pressSequentially('12', { delay: 150 })
  await page.evaluate(`console.log('Asking for a berth of 12 m')`)
  await page.click('button')
  await page.waitForSelector('output[data-state=done]')
  await pause(page, 800)
  await page.evaluate(`console.warn('High water in 20 minutes')`)
  await page.evaluate(`fetch('/tides?port=harbour', { headers: { accept: 'application/json' } }).then((response) => {
    if (!response.ok) console.error('The tide table cannot be read: HTTP ' + response.status)
  })`)
  await pause(page, 1500)
}

async function pause(page, ms) {
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${ms}))`)
}

async function findPlayer({ server, session }) {
  const response = await fetch(`${server.url}/v2/browser/${session.id}/recordings`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  const { recordings } = await response.json()
  return recordings.find(({ name }) => name === 'player.html')
}
