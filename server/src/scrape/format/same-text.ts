/**
 * Whether two texts are equal except for white space: runs of it are equal, and it may be missing
 * at the start and the end. Creates no strings, since texts can have millions of runs.
 */
export function isSameText(left: string, right: string): boolean {
  let [at, other] = [skipSpace(left, 0), skipSpace(right, 0)]
  while (at < left.length && other < right.length) {
    const [next, otherNext] = [skipSpace(left, at), skipSpace(right, other)]
    if (next > at !== otherNext > other) return next === left.length && otherNext === right.length
    if (next === at) {
      if (left.charCodeAt(at) !== right.charCodeAt(other)) return false
      at += 1
      other += 1
    } else {
      at = next
      other = otherNext
    }
  }
  return skipSpace(left, at) === left.length && skipSpace(right, other) === right.length
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** Whether a UTF-16 code is white space, as in regular expressions. */
function isSpace(code: number): boolean {
  if (code < 160) return code === 32 || (code >= 9 && code <= 13)
  return code === 160 || (code >= 0x16_80 && /\s/.test(String.fromCharCode(code)))
}
