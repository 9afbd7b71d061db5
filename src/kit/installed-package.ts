import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Whether the folder of a package exists where Node.js looks for it from a module, whose
 * `import.meta` is `from`. Check it before an import: Node.js remembers packages that it has not
 * found, and would not find them after their installation.
 */
export function hasPackageFolder(specifier: string, { dirname: folder }: Pick<ImportMeta, 'dirname'>): boolean {
  // Yarn's Plug'n'Play has no such folders. In a bundle of CommonJS, `import.meta` is empty.
  if ('pnp' in process.versions || (folder as string | undefined) === undefined) return true
  const segments = specifier.split('/')
  const name = segments.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
  for (let parent = folder; ; parent = dirname(parent)) {
    if (existsSync(join(parent, 'node_modules', name, 'package.json'))) return true
    if (dirname(parent) === parent) return false
  }
}
