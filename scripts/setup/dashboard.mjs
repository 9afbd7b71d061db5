import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const sourceFolder = 'src/dashboard'
const builtFolder = 'dist/dashboard'
const stampName = 'built-from'
const packages = ['vite', 'preact', 'uplot']

/** Builds the dashboard when it was not built from the sources that are there now. Takes about a second. */
export const ensureDashboard = async ({ root }) => {
  const stamp = stampOf(root)
  const stampFile = join(root, builtFolder, stampName)
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  await buildDashboard(root, stamp)
}

/** Builds into a folder of its own and then takes the place of what was there: servers may start meanwhile. */
const buildDashboard = async (root, stamp) => {
  const { build } = await import('vite')
  const target = join(root, builtFolder)
  const fresh = `${target}.${process.pid}`
  try {
    await build(viteOptions(root, fresh))
    renameSync(join(fresh, 'page.html'), join(fresh, 'index.html'))
    compress(fresh)
    writeFileSync(join(fresh, stampName), stamp)
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const viteOptions = (root, outDir) => ({
  configFile: false,
  logLevel: 'warn',
  root: join(root, sourceFolder),
  base: '/dashboard/',
  // Said outright: with NODE_ENV=test, as in tests, the default is code for debugging, with paths of this machine in it.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2024',
    // Files in the page itself would need a policy that allows them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: join(root, sourceFolder, 'page.html') },
  },
})

/** The server sends what is beside a file when the browser takes it, and compresses nothing itself. */
const compress = (folder) => {
  for (const name of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
  }
}

/** Tells these sources from all others. */
const stampOf = (root) => {
  const hash = createHash('sha256')
  const names = globSync('**/*.{ts,tsx,css,html,svg}', { cwd: join(root, sourceFolder) }).toSorted()
  for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(root, sourceFolder, name)))
  for (const name of packages) hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')))
  hash.update(readFileSync(new URL(import.meta.url)))
  return hash.digest('hex')
}
