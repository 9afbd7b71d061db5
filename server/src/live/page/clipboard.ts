/** Puts text into the viewer's own clipboard. False when the viewer's browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

/** Pages without encryption, and frames of other sites, have no clipboard but by this older way. */
function copyByCommand(text: string): boolean {
  const former = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (former instanceof HTMLElement) former.focus({ preventScroll: true })
  return isCopied
}
