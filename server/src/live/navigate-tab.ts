import type { CdpCommand } from '../cdp/message.ts'
import type { CdpCall } from '../cdp/protocol.ts'
import type { InteractMessage } from './viewer-message.ts'

/** Returns why the command policy refuses a command. `undefined` if it is allowed. */
export type Refuse = (command: Pick<CdpCommand, 'method' | 'params'>) => string | undefined

/**
 * Reloads a tab, or navigates it to a URL or in its history. Throws with a message for the viewer
 * if the command policy refuses the URL or it cannot be loaded.
 */
export async function navigateTab(
  call: CdpCall,
  message: Extract<InteractMessage, { type: 'navigate' | 'history' | 'reload' }>,
  refuse: Refuse,
): Promise<void> {
  if (message.type === 'reload') return call('Page.reload')
  if (message.type === 'navigate') {
    const params = { url: message.url }
    const refusal = refuse({ method: 'Page.navigate', params })
    if (refusal !== undefined) throw new Error(refusal)
    const { errorText } = await call('Page.navigate', params)
    if (errorText !== undefined) throw new Error(`Navigation failed: ${errorText}`)
    return
  }
  const { currentIndex, entries } = await call('Page.getNavigationHistory')
  const entry = entries[currentIndex + message.step]
  if (entry !== undefined) await call('Page.navigateToHistoryEntry', { entryId: entry.id })
}
