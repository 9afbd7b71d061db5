import { canSpin } from '../terminal/print.ts'

/** A line at the bottom of a terminal that is drawn over itself. Disposing it erases the line. */
export interface StatusLine extends Disposable {
  readonly show: (text: string) => void
  readonly erase: () => void
}

const eraseLine = '\r\u001B[2K'

/** Opens a status line on standard error. It writes nothing unless standard error is a terminal with a known width. */
export function openStatusLine(): StatusLine {
  let isShown = false
  const erase = (): void => {
    if (isShown) process.stderr.write(eraseLine)
    isShown = false
  }
  return {
    show: (text) => {
      if (!canSpin()) return
      isShown = true
      // A text that wraps could not be erased.
      process.stderr.write(`${eraseLine}${text.slice(0, process.stderr.columns - 1)}`)
    },
    erase,
    [Symbol.dispose]: erase,
  }
}
