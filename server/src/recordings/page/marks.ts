import { make } from './find.ts'

/** A moment to mark on the timeline. */
export interface Mark {
  readonly atMs: number
  /** `error` is an error in the console, `failed` a request. */
  readonly kind: 'navigation' | 'error' | 'failed'
}

/** Number of positions on the timeline. More marks of a kind would cover each other. */
const positions = 500

/** Draws marks into a box above the time slider. */
export function drawMarks(box: HTMLElement, marks: readonly Mark[], lengthMs: number): void {
  const drawn = new Map<string, HTMLElement>()
  for (const { atMs, kind } of marks) {
    const position = Math.round((positions * atMs) / Math.max(1, lengthMs))
    const mark = drawn.get(`${kind} ${position}`) ?? make('i', kind)
    mark.style.left = `${(100 * position) / positions}%`
    drawn.set(`${kind} ${position}`, mark)
  }
  box.replaceChildren(...drawn.values())
}
