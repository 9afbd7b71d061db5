/**
 * Returns the length of the longest end of `before` with which `after` begins. Takes linear time
 * (Knuth, Morris and Pratt), also for texts that repeat themselves.
 */
export function overlapOf(before: string, after: string): number {
  const limit = Math.min(before.length, after.length)
  const end = before.slice(before.length - limit)
  const start = after.slice(0, limit)
  // For each position, the longest proper end of the part up to it with which `start` begins.
  const borders = new Uint32Array(limit)
  for (let at = 1, length = 0; at < limit; at++) {
    while (length > 0 && start[at] !== start[length]) length = borders[length - 1] ?? 0
    if (start[at] === start[length]) length += 1
    borders[at] = length
  }
  let length = 0
  for (let at = 0; at < limit; at++) {
    while (length > 0 && end[at] !== start[length]) length = borders[length - 1] ?? 0
    if (end[at] === start[length]) length += 1
  }
  return length
}
