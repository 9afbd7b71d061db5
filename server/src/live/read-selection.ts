type Call = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>

const longestText = 1_000_000

// What is typed into a password field is never copied.
const script = `(() => {
  let page = document
  for (;;) {
    const element = page.activeElement
    const inner = element instanceof HTMLIFrameElement ? element.contentDocument : null
    if (inner !== null) {
      page = inner
      continue
    }
    const isField = element !== null && typeof element.selectionStart === 'number' && element.type !== 'password'
    const text = isField ? element.value.slice(element.selectionStart, element.selectionEnd) : String(page.getSelection())
    return text.slice(0, ${longestText})
  }
})()`

/** The text that is selected in a page, or in the field that has its focus; empty when none is. */
export async function readSelection(call: Call): Promise<string> {
  const answer = await call('Runtime.evaluate', { expression: script, returnByValue: true, silent: true })
  const { value } = answer['result'] as { readonly value?: unknown }
  return typeof value === 'string' ? value : ''
}
