/** Reads the time from a URL that ends in `#t=SECONDS`. In milliseconds. */
export function readMoment(): number | undefined {
  const seconds = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** The URL of the page at a time. */
export function momentLink(ms: number): string {
  const url = new URL(location.href)
  url.hash = `t=${(ms / 1000).toFixed(1)}`
  return url.href
}

/** Puts a time into the URL of the page, without an entry in the history. */
export function writeMoment(ms: number): void {
  try {
    history.replaceState(null, '', momentLink(ms))
  } catch {
    // Browsers limit the calls per time. The link can still be copied.
  }
}

/** Copies a text. Returns false if the browser denies it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // The server sandboxes the page, and sandboxed pages have no Clipboard API.
    return copyWithCommand(text)
  }
}

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
