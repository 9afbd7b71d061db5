import { openBrowserHost } from '../../../src/browsers/host.ts'
import { describeIsolation } from '../../../src/browsers/isolation.ts'
import type { Isolation } from '../../../src/browsers/probe-isolation.ts'
import { openRawBrowser } from '../raw-browser.ts'

// Stands for a server: says in which layers its browsers run and what one shows of a file, and waits to be killed.
const [dataDir = '', isolation, path] = process.argv.slice(2)
const host = await openBrowserHost({ dataDir, isolation: isolation as Isolation, environment: process.env })
const raw = await openRawBrowser(host)
const text = await raw.read(`file://${path}`)
process.stdout.write(`${JSON.stringify({ layers: describeIsolation(host.layers), text, bootPath: host.boot.path })}\n`)
setInterval(() => {}, 60_000)
