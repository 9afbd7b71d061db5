import { expect } from 'vitest'
import { connectCdp } from './cdp-socket.ts'

/** Replaces all pages of a session by an empty one, so that the next test can reuse the session. */
export async function leaveOnlyPage(cdpUrl: string): Promise<void> {
  await using cdp = await connectCdp(cdpUrl)
  const pages = async (): Promise<readonly string[]> => {
    const targets = (await cdp.call('Target.getTargets')).result?.['targetInfos'] as {
      targetId: string
      type: string
    }[]
    return targets.filter(({ type }) => type === 'page').map(({ targetId }) => targetId)
  }
  const old = await pages()
  const { result } = await cdp.call('Target.createTarget', { url: 'about:blank' })
  for (const targetId of old) await cdp.call('Target.closeTarget', { targetId })
  await expect.poll(pages).toEqual([result?.['targetId']])
}
