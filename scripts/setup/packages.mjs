import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { npmCommand } from './dependencies.mjs'
import { runQuietly } from './run-quietly.mjs'

/** Fields of a manifest that only the repository needs. */
const repositoryOnly = new Set([
  'private',
  'workspaces',
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'allowScripts',
])

const packagesFolder = 'dist'
/** Where the compiler puts its output, with the folders of the sources below it. */
const compiledFolder = 'dist/compiled'
/** Where the files that a README links to can be read on the web: those of the published server package. */
const documentsUrl = 'https://unpkg.com/bowline-server'
/** Folders with pages that the server sends as they are, beside compiled sources. */
const pageFolders = ['server/src/live/page', 'server/src/recordings/page']

/** Packs what `assemblePackages` assembled: `dist/bowline-VERSION.tgz` and `dist/bowline-server-VERSION.tgz`. */
export async function packPackages(root) {
  const [command, ...args] = npmCommand()
  const folder = join(root, packagesFolder)
  await runQuietly(command, [...args, 'pack', './bowline', './bowline-server', '--pack-destination', '.'], {
    cwd: folder,
  })
}

/** Assembles `dist/bowline` and `dist/bowline-server` from what the compiler made. */
export function assemblePackages(root) {
  for (const folder of pageFolders) copyPages(root, folder)
  assemble(root, { source: '.', compiled: 'src', extra: [] })
  assemble(root, { source: 'server', compiled: 'server/src', extra: ['docs', 'examples', 'CONTRIBUTING.md'] })
  cpSync(join(root, 'server/dist/dashboard'), join(root, packagesFolder, 'bowline-server/dist/dashboard'), {
    recursive: true,
  })
  rmSync(join(root, compiledFolder), { recursive: true })
}

/** Styles, templates and pictures: the compiler leaves them where they are. */
function copyPages(root, folder) {
  const isPage = (path) => ['', '.html', '.css', '.svg'].includes(extname(path))
  cpSync(join(root, folder), join(root, compiledFolder, folder), { recursive: true, filter: isPage })
}

function assemble(root, { source, compiled, extra }) {
  const manifest = readManifest(join(root, source))
  const target = join(root, packagesFolder, manifest.name)
  mkdirSync(target, { recursive: true })
  renameSync(join(root, compiledFolder, compiled), join(target, 'dist'))
  // Nothing can import the command line, so nobody reads its declarations.
  for (const name of globSync('dist/cli/**/*.d.ts', { cwd: target })) rmSync(join(target, name))
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`)
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(target, name))
  for (const name of extra) cpSync(join(root, name), join(target, name), { recursive: true })
  writeReadme(root, join(source, 'README.md'), join(target, 'README.md'), manifest.version)
  if (source !== '.') writeReadme(root, 'README.md', join(target, 'docs/README.md'), manifest.version)
  for (const path of Object.values(publishedManifest(manifest).bin)) chmodSync(join(target, path), 0o755)
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/**
 * The manifest of a package that is published. In the repository a package points at its sources, which Node.js runs as
 * they are. A published one points at compiled files, since Node.js compiles nothing below node_modules.
 */
function publishedManifest({ bin, exports, ...manifest }) {
  const kept = Object.entries(manifest).filter(([name]) => !repositoryOnly.has(name))
  return {
    ...Object.fromEntries(kept),
    bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, compiledPath(path)])),
    exports: Object.fromEntries(Object.entries(exports).map(([name, path]) => [name, publishedExport(path)])),
  }
}

function publishedExport(path) {
  return path.endsWith('.ts')
    ? { types: compiledPath(path).replace(/\.js$/, '.d.ts'), default: compiledPath(path) }
    : path
}

function compiledPath(path) {
  return path.replace('./src/', './dist/').replace(/\.ts$/, '.js')
}

/**
 * A package page shows the README without the repository around it, so relative links become absolute ones. The server
 * package carries the documents, as the client has to stay small.
 */
function writeReadme(root, source, target, version) {
  const readme = readFileSync(join(root, source), 'utf8').replaceAll(
    /\]\((?!https?:|#|mailto:)(?:\.{1,2}\/)*([^)]+)\)/g,
    (_link, path) => `](${documentsUrl}@${version}/${path.replace(/^README\.md/, 'docs/README.md')})`,
  )
  writeFileSync(target, readme)
}
