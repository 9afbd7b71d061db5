import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Launches a browser with plain Playwright, loads a page and closes the browser. */
export type Visit = (url: string) => Promise<void>

async function load(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(url)
}

/** Uses `chromium.launch`. */
export function visitLaunched(executablePath: string): Visit {
  return async (url) => {
    const browser = await chromium.launch({ executablePath })
    await load(browser, url)
    await browser.close()
  }
}

/** Uses `chromium.launchServer` and connects to it. Like a session, each browser is fresh. */
export function visitLaunchedServer(executablePath: string): Visit {
  return async (url) => {
    const server = await chromium.launchServer({ executablePath })
    const browser = await chromium.connect(server.wsEndpoint())
    await load(browser, url)
    await browser.close()
    await server.close()
  }
}

/** A running `playwright run-server`, which launches a browser for every connection. */
export interface PlaywrightServer extends AsyncDisposable {
  readonly visit: Visit
}

/** Starts `playwright run-server` in a separate process. Disposing kills it. */
export async function startPlaywrightServer(executablePath: string): Promise<PlaywrightServer> {
  const program = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js')
  // Unsafe mode, since only then the client may choose the browser.
  const child = spawn(process.execPath, [program, 'run-server', '--host', '127.0.0.1', '--unsafe'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [first] = (await once(child.stdout, 'data')) as [Buffer]
  const address = /ws:\/\/\S+/.exec(first.toString())?.[0]
  if (address === undefined) throw new Error(`Unexpected output of playwright run-server: ${first.toString()}`)
  const headers = {
    'x-playwright-browser': 'chromium',
    'x-playwright-launch-options': JSON.stringify({ executablePath }),
  }
  return {
    visit: async (url) => {
      const browser = await chromium.connect(address, { headers })
      await load(browser, url)
      await browser.close()
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
