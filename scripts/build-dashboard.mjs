// Builds the dashboard. `setup/dashboard.mjs` runs it with the project's own Node, since the bundler
// requires a newer version than the commands.
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { builtFolder, sourceFolder, stampName } from './setup/dashboard.mjs'

/**
 * Builds into a temporary folder and then replaces the previous build, since servers can start
 * meanwhile.
 */
async function buildDashboard(root, stamp) {
  const target = join(root, builtFolder)
  const fresh = `${target}.${process.pid}`
  try {
    await build(viteOptions(root, fresh))
    renameSync(join(fresh, 'page.html'), join(fresh, 'index.html'))
    compress(fresh)
    writeFileSync(join(fresh, stampName), stamp)
    replaceFolder(target, fresh)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Replaces a folder. Another build can create it again between the two steps. */
function replaceFolder(target, fresh) {
  for (let attempts = 1; ; attempts += 1) {
    rmSync(target, { recursive: true, force: true })
    try {
      return renameSync(fresh, target)
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' || attempts === 10) throw error
    }
  }
}

function viteOptions(root, outDir) {
  return {
    configFile: false,
    logLevel: 'warn',
    root: join(root, sourceFolder),
    base: '/dashboard/',
    // With NODE_ENV=test the default is a development build, which contains local paths.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2024',
      // The content security policy of the page does not allow inline assets.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: join(root, sourceFolder, 'page.html') },
    },
  }
}

/**
 * Writes compressed copies of the files. The server sends these and does not compress files itself.
 */
function compress(folder) {
  for (const name of globSync('**/*.{js,css,html,svg}', { cwd: folder })) {
    const content = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
  }
}

const [stamp] = process.argv.slice(2)
await buildDashboard(fileURLToPath(new URL('..', import.meta.url)), stamp)
