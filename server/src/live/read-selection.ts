import type { CdpCall } from '../cdp/protocol.ts'
import { openIsolatedWorld } from './isolated-world.ts'

const maxTextLength = 1_000_000

// Text in password fields, and in fields that a secret was typed into, is never copied.
const script = `(() => {
  let page = document
  for (;;) {
    const element = page.activeElement
    const inner = element instanceof HTMLIFrameElement ? element.contentDocument : null
    if (inner !== null) {
      page = inner
      continue
    }
    const isHidden = element !== null && getComputedStyle(element).webkitTextSecurity !== 'none'
    if (isHidden) return ''
    const isField = element !== null && typeof element.selectionStart === 'number' && element.type !== 'password'
    const text = isField ? element.value.slice(element.selectionStart, element.selectionEnd) : String(page.getSelection())
    return text.slice(0, ${maxTextLength})
  }
})()`

/** Reads the selected text of the page or of its focused field. Empty if nothing is selected. */
export async function readSelection(call: CdpCall): Promise<string> {
  const { frameTree } = await call('Page.getFrameTree')
  const contextId = await openIsolatedWorld(call, frameTree.frame.id)
  const { result } = await call('Runtime.evaluate', {
    expression: script,
    contextId,
    returnByValue: true,
    silent: true,
  })
  return typeof result.value === 'string' ? result.value : ''
}
