import type { BrowserFolder } from '../browsers/folders.ts'

/** A path in a browser's folder as the browser itself sees it. */
export const browserPath = (_folder: BrowserFolder, path: string): string => path
