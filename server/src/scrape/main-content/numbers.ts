/** log(1 + value): tells 1 from 2 as clearly as 100 from 200. */
export const log = (value: number): number => Math.log1p(Math.max(0, value))

/** 1 for true, 0 for false. */
export const flag = (is: boolean): number => (is ? 1 : 0)
