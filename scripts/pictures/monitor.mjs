import { once } from 'node:events'
import { createServer } from 'node:http'
import { openDashboard, openStudio } from './studio.mjs'

function pricesPage({ small, large, hours, master }) {
  return `<!doctype html><html lang="en"><title>Harbour prices</title><main>
  <h1>Harbour prices</h1>
  <p>All prices are for one night, water and light included.</p>
  <ul><li>Berth up to 9 m: ${small} guilders</li><li>Berth up to 14 m: 22 guilders</li>${large}</ul>
  <h2>Opening hours</h2>
  <p>Every day from 6:00 to 22:00${hours}.</p>
  <p>The office is at the old pier, under the clock.</p>
  <h2>Contact</h2>
  <p>Harbour master: ${master}, channel 12</p></main></html>`
}

const before = { small: 14, large: '<li>Berth up to 22 m: 40 guilders</li>', hours: '', master: 'J. de Vries' }
const after = { small: 16, large: '', hours: ', but not on the day of the regatta', master: 'A. Bakker' }

/** Takes a picture of a side-by-side diff of a monitored page. */
export async function takeMonitor(path) {
  await using undo = new AsyncDisposableStack()
  const studio = undo.use(await openStudio())
  let prices = before
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(pricesPage(prices))
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  undo.defer(() => site.close())

  const { data: monitor } = await studio.api('POST', '/v2/monitor', {
    name: 'Harbour prices',
    schedule: { text: 'every 30 minutes' },
    targets: [{ type: 'scrape', urls: [`http://127.0.0.1:${site.address().port}/prices`] }],
  })
  const viewport = { width: 1240, height: 720 }
  const viewer = await openDashboard(studio, { viewport, colorScheme: 'dark' })
  await viewer.goto(`${studio.server.url}/#/monitors/${monitor.id}`)
  await viewer.getByRole('button', { name: 'Check now' }).click()
  await viewer.getByText('1 new').waitFor()
  prices = after
  await viewer.getByRole('button', { name: 'Check now' }).click()
  await viewer.getByRole('row', { name: '1 changed' }).getByRole('link').click()
  await viewer.getByRole('table', { name: 'Before and after' }).waitFor()
  await viewer.mouse.move(0, 0)
  await viewer.screenshot({ path })
}
