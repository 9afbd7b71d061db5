import { styleText } from 'node:util'
import { canSpin } from '../terminal/print.ts'
import { openStatusLine } from './status-line.ts'

/**
 * Shows a spinner with `text` on a terminal while `work` runs. If `describe` is set, the spinner is
 * replaced by a line with its return value.
 */
export async function withSpinner<Result>(
  text: string,
  work: () => Promise<Result>,
  describe?: (result: Result) => string,
): Promise<Result> {
  const result = await runWithSpinner(text, work)
  if (describe !== undefined && canSpin()) {
    process.stderr.write(`${styleText('green', '✔', { stream: process.stderr })} ${describe(result)}\n`)
  }
  return result
}

/** A spinner on standard error. Starting it again replaces its text; disposing stops it. */
export interface Spinner extends Disposable {
  readonly start: (text: string) => void
  readonly stop: () => void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

const frameMs = 80

/** Creates a stopped spinner. By default it is visible if standard error is a terminal. */
export function createSpinner({ isVisible = canSpin() }: { readonly isVisible?: boolean } = {}): Spinner {
  const line = openStatusLine()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearInterval(timer)
    line.erase()
  }
  const start = (text: string): void => {
    stop()
    if (!isVisible) return
    let drawn = 0
    const draw = (): void => line.show(`${frames[drawn++ % frames.length] ?? ''} ${text}`)
    draw()
    timer = setInterval(draw, frameMs).unref()
  }
  return { start, stop, [Symbol.dispose]: stop }
}

async function runWithSpinner<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  using spinner = createSpinner()
  spinner.start(text)
  return await work()
}
