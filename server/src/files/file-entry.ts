import type { SessionFile } from 'bowline/contract/files'

/** State of a file. A failed one stays in the list without contents, with the error. */
export type FileState =
  | { readonly kind: 'running' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly error: string }

/** One file of a session. */
export interface FileEntry {
  readonly name: string
  readonly direction: 'download' | 'upload'
  /** Path on the server's machine. */
  readonly path: string
  readonly createdAt: Date
  readonly guid: string | undefined
  /** Size in bytes. While a download is running, its expected size. */
  size: number
  state: FileState
}

/** Converts an entry to the format of the API. */
export function describeEntry({ name, direction, size, createdAt, guid, state }: FileEntry): SessionFile {
  return {
    name,
    direction,
    size,
    createdAt: createdAt.toISOString(),
    complete: state.kind === 'complete',
    ...(guid === undefined ? {} : { guid }),
    ...(state.kind === 'failed' ? { error: state.error } : {}),
  }
}
