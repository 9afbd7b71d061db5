import { canSpin } from '../terminal/print.ts'

/** A terminal line that is redrawn in place. Disposing erases it. */
export interface StatusLine extends Disposable {
  readonly show: (text: string) => void
  readonly erase: () => void
}

const eraseLine = '\r\u001B[2K'

/** Opens a status line on standard error. Writes only to terminals with a known width. */
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
      // A line that wraps could not be erased.
      process.stderr.write(`${eraseLine}${text.slice(0, process.stderr.columns - 1)}`)
    },
    erase,
    [Symbol.dispose]: erase,
  }
}
