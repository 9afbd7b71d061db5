/** Limits of each interpreter of a session. */
export const interpreterLimits = {
  /** Memory of its processes together, checked twice a second. */
  memoryBytes: 512 * 1024 * 1024,
  /** Memory of each of its processes, enforced by the kernel. */
  processMemoryBytes: 1024 * 1024 * 1024,
  /** Processes and threads together. */
  threads: 256,
  /** Open files and connections of each of its processes. */
  openFiles: 1024,
  /** Open files and connections of its processes together, checked twice a second. */
  allOpenFiles: 2048,
  /** Open connections to the CDP of its session. */
  cdpConnections: 64,
  /** Size of each file that it writes. */
  fileBytes: 256 * 1024 * 1024,
  /** Bytes of stdout, and of stderr, after which a call is killed. Less than that is cut. */
  floodBytes: 16 * 1024 * 1024,
  /** Maximum number of queued calls per language. */
  waitingCalls: 8,
} as const

/** Limits of the home, temporary and shared-memory folders of a session's code together. */
export const storageLimits = {
  /** Bytes, which are memory of the machine. */
  bytes: 256 * 1024 * 1024,
  /** Files and folders. */
  files: 20_000,
} as const
