import { openBrowserHost } from '../../../src/browsers/host.ts'
import { launchBrowser } from '../../../src/browsers/launch.ts'
import type { IsolationLayers } from '../../../src/browsers/isolation.ts'
import { openEgress } from '../../../src/egress/egress.ts'

// Stands for a server: opens a browser, says which, and waits to be killed.
const [dataDir = '', leash] = process.argv.slice(2)
const isolationMode = leash === 'own network' ? 'strict' : 'auto'
const host = await openBrowserHost({ dataDir, choice: 'shell', isolationMode, environment: process.env })
const noJail = { missing: 'not wanted here' }
const isolation: IsolationLayers = {
  ...host.isolation,
  ...(leash === 'bubblewrap' || leash === 'own network' ? {} : { jail: noJail }),
  ...(leash === 'pipe' ? { setprivPath: undefined } : {}),
}
const egress = await openEgress({ log: { debug: () => {}, warn: () => {} } })
const browser = await launchBrowser({ ...host, isolation }, { openProxyEndpoint: egress.openProxyEndpoint })
process.stdout.write(`${JSON.stringify({ pid: browser.pid, bootPath: host.boot.path, swept: host.swept })}\n`)
setInterval(() => {}, 60_000)
