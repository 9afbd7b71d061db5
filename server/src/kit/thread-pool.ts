/** Size of the thread pool of Node.js unless `UV_THREADPOOL_SIZE` is set. */
const defaultSize = 4

const serverSize = 128

const variable = 'UV_THREADPOOL_SIZE'

/**
 * Gives the process a thread pool in which dozens of name lookups that take long do not stop all
 * others. `UV_THREADPOOL_SIZE` of the environment takes precedence. Has no effect after the first
 * use of the pool.
 */
export function enlargeThreadPool(): void {
  process.env[variable] ??= String(serverSize)
}

/** Returns the number of threads for file operations, name lookups and similar. */
export function threadPoolSize(): number {
  const size = Number.parseInt(process.env[variable] ?? '', 10)
  return size > 0 ? Math.min(size, 1024) : defaultSize
}
