import { afterAll, beforeAll } from 'vitest'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { testAccessibility } from './accessibility.ts'
import { openDashboard, type DashboardFixture } from './dashboard-fixture.ts'
import { testFrame } from './frame.ts'
import { testPages } from './pages.ts'
import { testProfiles } from './profiles.ts'
import { testSessionPages } from './session-pages.ts'
import { testSessions } from './sessions.ts'
import { testUsage } from './usage.ts'
import { testWebhooks } from './webhooks.ts'
import { testWork } from './work.ts'

const offer = { '@type': 'Offer', price: '89.00', priceCurrency: 'EUR' }
const product = { '@context': 'https://schema.org', '@type': 'Product', name: 'Berth 4', offers: offer }
const berth = `<script type="application/ld+json">${JSON.stringify(product)}</script>
  <main><h1>Berth 4</h1><p>A berth for a night.</p><a class="next" href="/berth-5">Next</a></main>`

let desk: DashboardFixture
let visits = 0

beforeAll(async () => {
  desk = await openDashboard({
    '/never-answers': () => undefined,
    '/said': (exchange) => sendHtml(exchange, 'Said', '<main><p>picture:javascript:alert(1)</p></main>'),
    '/hollow': (exchange) => sendHtml(exchange, '', '<main></main>'),
    '/berth': (exchange) => sendHtml(exchange, 'Berth', berth),
    '/prices': (exchange) => {
      visits += 1
      sendHtml(exchange, 'Prices', `<main><h1>Prices</h1><p>A berth costs ${visits} guilders.</p><p>Ask us.</p></main>`)
    },
  })
})

afterAll(async () => desk[Symbol.asyncDispose]())

function dashboardFixture(): DashboardFixture {
  return desk
}

testSessions(dashboardFixture)
testSessionPages(dashboardFixture)
testProfiles(dashboardFixture)
testPages(dashboardFixture)
testWork(dashboardFixture)
testUsage(dashboardFixture)
testWebhooks(dashboardFixture)
testFrame(dashboardFixture)
testAccessibility(dashboardFixture)
