import { openBrowserHost } from '../../../src/browsers/host.ts'
import { describeIsolation } from '../../../src/browsers/isolation.ts'
import type { IsolationMode } from '../../../src/browsers/probe-isolation.ts'
import { openRawBrowser } from '../raw-browser.ts'

// Acts as a server: prints the isolation of its browsers and what one of them shows of a file, and
// waits to be killed.
const [dataDir = '', isolation, path] = process.argv.slice(2)
const host = await openBrowserHost({ dataDir, isolationMode: isolation as IsolationMode, environment: process.env })
const raw = await openRawBrowser(host)
const text = await raw.read(`file://${path}`)
process.stdout.write(
  `${JSON.stringify({ layers: describeIsolation(host.isolation), text, bootPath: host.boot.path })}\n`,
)
setInterval(() => {}, 60_000)
