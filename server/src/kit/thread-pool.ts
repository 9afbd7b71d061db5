/** Size of the pool. The default is that of Node.js. */
let threads = 4

const serverThreads = 128

/** The largest number that libuv accepts. */
const maxThreads = 1024

/**
 * Enlarges the thread pool, so that dozens of slow name lookups do not block the others.
 * `UV_THREADPOOL_SIZE` of the environment takes precedence. Must be called before the first use of
 * the pool.
 */
export function enlargeThreadPool(environment: Record<string, string | undefined>): void {
  const configured = Number.parseInt((environment['UV_THREADPOOL_SIZE'] ??= String(serverThreads)), 10)
  threads = Math.min(Math.max(1, configured || 1), maxThreads)
}

/** Returns the number of threads for file operations, name lookups and similar. */
export function threadPoolSize(): number {
  return threads
}
