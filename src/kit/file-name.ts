const longestNameBytes = 255

/** Whether a text can be the name of a file: no separators, no control characters, 255 bytes at most. */
export function isFileName(text: string): boolean {
  return !['', '.', '..'].includes(text) && !/[/\\\p{Cc}]/u.test(text) && Buffer.byteLength(text) <= longestNameBytes
}

/** A name that a site suggested, with what no file name can have replaced or cut off. */
export function tameFileName(suggested: string): string {
  const tame = suggested.replaceAll(/[/\\\p{Cc}]/gu, '_')
  if (isFileName(tame)) return tame
  const cut = Buffer.from(tame)
    .subarray(0, longestNameBytes)
    .toString()
    .replace(/\uFFFD+$/, '')
  return isFileName(cut) ? cut : 'download'
}

/** `name`, or `name (1)`, `name (2)` and so on before its extension: the first that is not taken. */
export function freeFileName(name: string, isTaken: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let count = 1; isTaken(free); count += 1) free = `${stem} (${count})${extension}`
  return free
}
