import { styleText } from 'node:util'
import { canSpin } from '../terminal/print.ts'
import { openStatusLine } from './status-line.ts'

/** Runs `work` while a terminal shows a spinner with `text`. `describe` turns the result into the line that replaces it. */
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

/** A spinner on standard error. Starting it again shows its current text; disposing it stops it. */
export interface Spinner extends Disposable {
  readonly start: (text: string) => void
  readonly stop: () => void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

const frameMs = 80

/** Creates a spinner that is not started. By default it is visible if standard error is a terminal. */
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
