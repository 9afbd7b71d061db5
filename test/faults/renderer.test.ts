import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { groupMembers } from '../../server/src/browsers/process-table.ts'
import { browserPids } from '../lab/browser-processes.ts'
import { connectCdp } from '../lab/cdp-socket.ts'
import { startLab } from '../lab/lab.ts'
import { startSite } from '../lab/site.ts'

/** The renderers of a browser, which are in its process group. */
function rendererPids(browser: number): readonly number[] {
  return groupMembers(browser).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer'))
}

test('a session survives the kill of its renderer: the page reports the crash and another page works', async () => {
  await using lab = await startLab()
  await using site = await startSite()
  const session = await lab.createSession({ ttl: 60 })
  await using cdp = await connectCdp(session.cdpUrl)
  const page = await cdp.attachToPage()
  await cdp.call('Inspector.enable', {}, page)
  await cdp.call('Page.navigate', { url: site.url('/') }, page)
  const [browser] = browserPids(lab.dataDir)

  for (const pid of rendererPids(browser!)) process.kill(pid, 'SIGKILL')

  await expect
    .poll(() => cdp.events.filter(({ sessionId }) => sessionId === page).map(({ method }) => method))
    .toContain('Inspector.targetCrashed')
  const created = await cdp.call('Target.createTarget', { url: site.url('/title?text=Alive') })
  const attached = await cdp.call('Target.attachToTarget', { targetId: created.result?.['targetId'], flatten: true })
  const title = async (): Promise<unknown> => {
    const { result } = await cdp.call(
      'Runtime.evaluate',
      { expression: 'document.title' },
      attached.result?.['sessionId'],
    )
    return result?.['result'].value
  }
  await expect.poll(title).toBe('Alive')
  expect((await lab.api('GET', `/v2/browser/${session.id}`)).body).toMatchObject({ status: 'active' })
})
