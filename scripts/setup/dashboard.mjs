import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { runQuietly } from './run-quietly.mjs'

export const sourceFolder = 'server/dashboard'
export const builtFolder = 'server/dist/dashboard'
export const stampName = 'built-from'
const builder = 'scripts/build-dashboard.mjs'
/** Folders whose files are bundled: the pages, and what they import from the toolkit. */
const bundledFolders = [sourceFolder, 'src/contract', 'src/kit']
const packages = ['vite', 'preact', 'uplot']
const sources = new Set(['.ts', '.tsx', '.css', '.html', '.svg'])

/** Builds the dashboard if its sources have changed since the last build. Takes about a second. */
export async function ensureDashboard({ root, node = process.execPath }) {
  const stamp = stampOf(root)
  const stampFile = join(root, builtFolder, stampName)
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  await runQuietly(node, [join(root, builder), stamp], { cwd: root })
}

/** Returns a hash of the sources of the dashboard and of the packages that build it. */
function stampOf(root) {
  const hash = createHash('sha256')
  for (const folder of bundledFolders) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => sources.has(extname(name)))
      .toSorted()
    for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(root, folder, name)))
  }
  for (const name of packages) hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')))
  hash.update(readFileSync(join(root, builder)))
  return hash.digest('hex')
}
