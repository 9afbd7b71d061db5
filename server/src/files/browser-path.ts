import { join, relative } from 'node:path'
import type { BrowserFolder } from '../browsers/folders.ts'

/** A path in a browser's downloads or uploads as the browser itself sees it. Others are returned as they are. */
export function browserPath(folder: BrowserFolder, path: string): string {
  for (const kind of ['downloadsDir', 'uploadsDir'] as const) {
    const rest = relative(folder[kind], path)
    if (rest.split('/')[0] !== '..') return join(folder.seen[kind], rest)
  }
  return path
}
