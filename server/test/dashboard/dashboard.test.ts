import { afterAll, beforeAll } from 'vitest'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { testAccessibility } from './accessibility.ts'
import { openDashboard, type DashboardFixture } from './dashboard-fixture.ts'
import { testFrame } from './frame.ts'
import { testPages } from './pages.ts'
import { testSessionPages } from './session-pages.ts'
import { testSessions } from './sessions.ts'
import { testWork } from './work.ts'

let desk: DashboardFixture
let visits = 0

beforeAll(async () => {
  desk = await openDashboard({
    '/never-answers': () => undefined,
    '/said': (exchange) => sendHtml(exchange, 'Said', '<main><p>picture:javascript:alert(1)</p></main>'),
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
testPages(dashboardFixture)
testWork(dashboardFixture)
testFrame(dashboardFixture)
testAccessibility(dashboardFixture)
