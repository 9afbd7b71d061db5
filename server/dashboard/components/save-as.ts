/** Downloads a blob as a file. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers start reading the URL later.
  setTimeout(() => URL.revokeObjectURL(url), revokeDelayMs)
}

const revokeDelayMs = 60_000
