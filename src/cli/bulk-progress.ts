import { SingleBar } from 'cli-progress'
import type { BulkProgress } from '../client/bulk-run.ts'

/** Shows on a terminal how far a job has come, and nothing elsewhere. Disposing takes it away. */
export const showProgress = (): Disposable & { readonly update: (progress: BulkProgress) => void } => {
  const bar = process.stderr.isTTY
    ? new SingleBar({
        format: '{bar} {value}/{total} pages · {credits} credits · {eta_formatted}',
        stream: process.stderr,
        clearOnComplete: true,
        hideCursor: true,
      })
    : undefined
  return {
    update: ({ completed, total, creditsUsed: credits }) => {
      if (bar === undefined) return
      if (!bar.isActive) bar.start(total, completed, { credits })
      bar.setTotal(total)
      bar.update(completed, { credits })
    },
    [Symbol.dispose]: () => bar?.stop(),
  }
}
