import { cpSync } from 'node:fs'
import { extname, join } from 'node:path'

/** Copies what a folder of `src` has beside its sources, such as pages and styles, to the same place in `dist`. */
export const copyAssets = (root, folder) => {
  const target = join(root, folder.replace(/^src/, 'dist'))
  const isAsset = (path) => extname(path) === '' || ['.html', '.css', '.svg'].includes(extname(path))
  cpSync(join(root, folder), target, { recursive: true, filter: isAsset })
}
