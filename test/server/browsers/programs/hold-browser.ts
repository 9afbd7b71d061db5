import { openBrowserHost } from '../../../../src/server/browsers/host.ts'
import { launchBrowser } from '../../../../src/server/browsers/launch.ts'
import type { Layers } from '../../../../src/server/browsers/layers.ts'

// Stands for a server: opens a browser, says which, and waits to be killed.
const [dataDir = '', leash] = process.argv.slice(2)
const host = await openBrowserHost({ dataDir, choice: 'shell', environment: process.env })
const noJail = { missing: 'not wanted here' }
const layers: Layers = {
  ...host.layers,
  ...(leash === 'bubblewrap' ? {} : { jail: noJail }),
  ...(leash === 'pipe' ? { setprivPath: undefined } : {}),
}
const browser = await launchBrowser({ ...host, layers })
process.stdout.write(`${JSON.stringify({ pid: browser.pid, bootPath: host.boot.path, swept: host.swept })}\n`)
setInterval(() => {}, 60_000)
