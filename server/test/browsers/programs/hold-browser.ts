import { openBrowserHost } from '../../../src/browsers/host.ts'
import { launchBrowser } from '../../../src/browsers/launch.ts'
import type { IsolationLayers } from '../../../src/browsers/isolation.ts'
import { openEgress } from '../../../src/egress/egress.ts'

// Acts as a server: opens a browser, prints its pid and folders, and waits to be killed.
const [dataDir = '', mechanism] = process.argv.slice(2)
const isolationMode = mechanism === 'own network' ? 'strict' : 'auto'
const host = await openBrowserHost({ dataDir, choice: 'shell', isolationMode, environment: process.env })
const noJail = { missing: 'not expected here' }
const isolation: IsolationLayers = {
  ...host.isolation,
  ...(mechanism === 'bubblewrap' || mechanism === 'own network' ? {} : { jail: noJail }),
  ...(mechanism === 'pipe' ? { setprivPath: undefined } : {}),
}
const egress = await openEgress({ log: { debug: () => {}, warn: () => {} } })
const browser = await launchBrowser({ ...host, isolation }, { openProxyEndpoint: egress.openProxyEndpoint })
process.stdout.write(`${JSON.stringify({ pid: browser.pid, bootPath: host.boot.path, swept: host.swept })}\n`)
setInterval(() => {}, 60_000)
