/** Gives the reader a file to keep. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers only begin to read it later.
  setTimeout(() => URL.revokeObjectURL(url), keptMs)
}

const keptMs = 60_000
