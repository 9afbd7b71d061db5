// Builds the dashboard. Run under the project's own Node by `setup/dashboard.mjs`: the bundler needs a newer one than
// the commands do.
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { builtFolder, sourceFolder, stampName } from './setup/dashboard.mjs'

/** Builds into a folder of its own and then takes the place of what was there: servers may start meanwhile. */
async function buildDashboard(root, stamp) {
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

function viteOptions(root, outDir) {
  return {
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
  }
}

/** The server sends what is beside a file when the browser takes it, and compresses nothing itself. */
function compress(folder) {
  for (const name of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
  }
}

const [stamp] = process.argv.slice(2)
await buildDashboard(fileURLToPath(new URL('..', import.meta.url)), stamp)
