// Keeps sessions busy, each with a command every 10 ms, until it is killed. Arguments: their CDP URLs.
import { setTimeout as sleep } from 'node:timers/promises'
import { connectCdp } from '../../lab/cdp-socket.ts'

const pauseMs = 10
const expression = 'document.title = String(Math.random()); [...Array(1000).keys()].map(String).join()'

async function keepBusy(cdpUrl: string): Promise<never> {
  const cdp = await connectCdp(cdpUrl)
  const session = await cdp.attachToPage()
  for (;;) {
    await cdp.call('Runtime.evaluate', { expression }, session)
    await sleep(pauseMs)
  }
}

const all = Promise.all(process.argv.slice(2).map(keepBusy))
process.stdout.write('busy\n')
await all
