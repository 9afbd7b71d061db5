import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '../../server/src/browsers/launch.ts'

/** Waits for the port of a browser that was launched with `--remote-debugging-port=0`. */
export async function debuggingPort(browser: Browser): Promise<{ readonly port: number; readonly path: string }> {
  for (;;) {
    const text = await readFile(join(browser.folder.userDataDir, 'DevToolsActivePort'), 'utf8').catch(() => '')
    const [port, path] = text.split('\n')
    if (path !== undefined && path !== '') return { port: Number(port), path }
    await sleep(20)
  }
}
