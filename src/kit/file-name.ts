const longestNameBytes = 255

/**
 * Whether a string is a valid file name: no separators or control characters, at most 255 bytes.
 */
export function isFileName(text: string): boolean {
  return !['', '.', '..'].includes(text) && !/[/\\\p{Cc}]/u.test(text) && Buffer.byteLength(text) <= longestNameBytes
}

/**
 * Converts a name suggested by a site to a valid file name, by replacing characters and truncating.
 */
export function sanitizeFileName(suggested: string): string {
  const sanitized = suggested.replaceAll(/[/\\\p{Cc}]/gu, '_')
  if (isFileName(sanitized)) return sanitized
  const cut = Buffer.from(sanitized)
    .subarray(0, longestNameBytes)
    .toString()
    .replace(/\uFFFD+$/, '')
  return isFileName(cut) ? cut : 'download'
}

/**
 * Returns `name`, or the first free one of `name (1)`, `name (2)` and so on, with the number before
 * the extension.
 */
export function freeFileName(name: string, isTaken: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let count = 1; isTaken(free); count += 1) free = `${stem} (${count})${extension}`
  return free
}
