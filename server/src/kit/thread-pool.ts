/** Number of threads that Node.js has by itself. */
let threads = 4

const serverThreads = 128

/** The largest number that libuv accepts. */
const maxThreads = 1024

/**
 * Gives the process a thread pool in which dozens of name lookups that take long do not stop all
 * others. `UV_THREADPOOL_SIZE` of the environment takes precedence. Must be called before the first
 * use of the pool.
 */
export function enlargeThreadPool(environment: Record<string, string | undefined>): void {
  const configured = Number.parseInt((environment['UV_THREADPOOL_SIZE'] ??= String(serverThreads)), 10)
  threads = Math.min(Math.max(1, configured || 1), maxThreads)
}

/** Returns the number of threads for file operations, name lookups and similar. */
export function threadPoolSize(): number {
  return threads
}
