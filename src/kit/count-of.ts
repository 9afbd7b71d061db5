/** Formats a count with its noun, such as `1 page` or `2 pages`. The plural must end in `s`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
