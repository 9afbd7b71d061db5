const kilobyte = 1024
const megabyte = 1024 * kilobyte

/** Default maximum size of a request body in bytes. */
export const smallBodyBytes = 64 * kilobyte

/** Maximum size of a message of an MCP client in bytes, which can contain files to upload. */
export const mcpBodyBytes = 4 * megabyte

/** Formats a number of bytes, such as `64 kB`. */
export function sizeText(bytes: number): string {
  return bytes >= megabyte ? `${bytes / megabyte} MB` : `${bytes / kilobyte} kB`
}
