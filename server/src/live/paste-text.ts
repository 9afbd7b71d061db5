import { findFocusedFrame } from '../cdp/focused-frame.ts'
import type { PageAccess } from '../cdp/page-access.ts'
import { worldName } from './isolated-world.ts'

/**
 * Pastes a text into the focused element of a page: fires a `paste` event, and inserts the text
 * unless the page prevents that or `late` has aborted, when the focus may have moved. The clipboard
 * of the browser is not used.
 */
export async function pasteText(page: PageAccess, text: string, late: AbortSignal): Promise<void> {
  // Fails if the focused frame navigates meanwhile.
  const isPrevented = await firePaste(page, text).catch(() => false)
  if (!isPrevented && !late.aborted) await page.call('Input.insertText', { text })
}

async function firePaste(page: PageAccess, text: string): Promise<boolean> {
  await using resources = new AsyncDisposableStack()
  const frame = await findFocusedFrame(page, { worldName, resources })
  if (frame === undefined) return false
  const { result } = await frame.call('Runtime.callFunctionOn', {
    functionDeclaration: script,
    executionContextId: frame.contextId,
    arguments: [{ value: text }],
    returnByValue: true,
    silent: true,
  })
  return result.value === true
}

/** As in a browser, the target in editable content is the element that contains the caret. */
const script = `function (text) {
  let target = document.activeElement
  while (target?.shadowRoot?.activeElement) target = target.shadowRoot.activeElement
  if (target === null || target.isContentEditable || document.designMode === 'on') {
    const caret = document.getSelection()?.anchorNode
    const element = caret instanceof Element ? caret : caret?.parentElement
    target = element ?? target ?? document.documentElement
  }
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true })
  return !target.dispatchEvent(event)
}`
