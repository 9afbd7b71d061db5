import { flushCompileCache } from 'node:module'

/**
 * Responds to each message of the server in a process of `forkHelper`, which ends with the server.
 * Keeps the compiled code of this process for the next one, if there is a compile cache.
 */
export function handleMessages<Job>(handle: (job: Job) => unknown): void {
  let hasResponded = false
  const respond = async (job: Job): Promise<void> => {
    const outcome = await handle(job)
    // Node.js writes the compile cache at the end of a process, and this one is killed.
    if (!hasResponded) flushCompileCache()
    hasResponded = true
    process.send?.(outcome)
  }
  process.on('disconnect', () => process.exit())
  process.on('message', (job: Job) => void respond(job))
}
