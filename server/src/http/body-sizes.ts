const kilobyte = 1024
const megabyte = 1024 * kilobyte

/** Most bytes of a body where a route sets no limit of its own. */
export const smallBodyBytes = 64 * kilobyte

/** A limit in bytes as people read it, such as `64 kB`. */
export function sizeText(bytes: number): string {
  return bytes >= megabyte ? `${bytes / megabyte} MB` : `${bytes / kilobyte} kB`
}
