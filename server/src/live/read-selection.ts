import { findFocusedFrame } from '../cdp/focused-frame.ts'
import type { PageAccess } from '../cdp/page-access.ts'
import { worldName } from './isolated-world.ts'

const maxTextLength = 1_000_000

// Text in password fields, and in fields that a secret was typed into, is never copied.
const script = `(() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  const isHidden = element !== null && getComputedStyle(element).webkitTextSecurity !== 'none'
  if (isHidden) return ''
  const isField = element !== null && typeof element.selectionStart === 'number' && element.type !== 'password'
  const text = isField
    ? element.value.slice(element.selectionStart, element.selectionEnd)
    : String(document.getSelection())
  return text.slice(0, ${maxTextLength})
})()`

/**
 * Reads the selected text of the focused frame of a page or of its focused field. Empty if nothing
 * is selected.
 */
export async function readSelection(page: PageAccess): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const frame = await findFocusedFrame(page, { worldName, resources })
  if (frame === undefined) return ''
  const { result } = await frame.call('Runtime.evaluate', {
    expression: script,
    contextId: frame.contextId,
    returnByValue: true,
    silent: true,
  })
  return typeof result.value === 'string' ? result.value : ''
}
