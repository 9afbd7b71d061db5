/** Copies text to the viewer's clipboard. Returns false if the viewer's browser denies it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The browser refuses the clipboard API without permission or focus.
    return copyWithCommand(text)
  }
}

/** Insecure contexts and cross-origin frames have no Clipboard API. */
function copyWithCommand(text: string): boolean {
  const previous = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (previous instanceof HTMLElement) previous.focus({ preventScroll: true })
  return isCopied
}
