/** log(1 + value): tells 1 from 2 as clearly as 100 from 200. */
export function log(value: number): number {
  return Math.log1p(Math.max(0, value))
}

/** 1 for true, 0 for false. */
export function flag(is: boolean): number {
  return is ? 1 : 0
}
