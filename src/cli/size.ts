const units = ['kB', 'MB', 'GB', 'TB'] as const

/** Formats a size with three significant digits, such as `12.3 MB`. Returns '' for undefined. */
export function toSize(bytes: number | undefined): string {
  if (bytes === undefined) return ''
  if (bytes < 1000) return `${bytes} B`
  // Rounds before choosing the unit: 999,900 bytes are 1.00 MB, not 1000 kB.
  const rounded = Number(bytes.toPrecision(3))
  const step = Math.min(units.length, Math.floor(Math.log10(rounded) / 3))
  return `${(rounded / 1000 ** step).toPrecision(3)} ${units[step - 1] ?? ''}`
}
