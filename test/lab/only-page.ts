import { expect } from 'vitest'
import { connectCdp } from './cdp-socket.ts'

/** Closes all pages of a session and leaves a new, empty one: for the next spec it is as good as a new session. */
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
