import type { SessionFile } from 'bowline/contract/files'

/** Where a file is in its life. A failed one stays in the list, without bytes, to say why. */
export type FileState =
  | { readonly kind: 'running' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly error: string }

/** One file of a session. */
export interface FileEntry {
  readonly name: string
  readonly direction: 'download' | 'upload'
  /** Where it lies, as the server sees it. */
  readonly path: string
  readonly createdAt: Date
  readonly guid: string | undefined
  /** Bytes it has, or is known to get. */
  size: number
  state: FileState
}

/** A file as the API shows it. */
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
