import { join, relative } from 'node:path'
import type { BrowserFolder } from '../browsers/folders.ts'

/**
 * Converts a path in a browser's downloads or uploads to the path the browser sees. Returns other
 * paths unchanged.
 */
export function browserPath(folder: BrowserFolder, path: string): string {
  for (const kind of ['downloadsDir', 'uploadsDir'] as const) {
    const rest = relative(folder[kind], path)
    if (rest.split('/')[0] !== '..') return join(folder.visiblePaths[kind], rest)
  }
  return path
}
