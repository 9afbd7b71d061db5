/**
 * Returns log(1 + value), so that 1 and 2 differ as much as 100 and 200. Negative values count as
 * 0.
 */
export function log(value: number): number {
  return Math.log1p(Math.max(0, value))
}
