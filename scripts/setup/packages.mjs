import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { npmCommand } from './dependencies.mjs'
import { runQuietly } from './run-quietly.mjs'

/** Fields of package.json that are not published. */
const repositoryOnly = new Set([
  'private',
  'workspaces',
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'allowScripts',
])

const packagesFolder = 'dist'
/** Output folder of the compiler. Mirrors the source folders. */
const compiledFolder = 'dist/compiled'
/** Base URL of the documents that the READMEs link to, which are part of the server package. */
const documentsUrl = 'https://unpkg.com/bowline-server'
/** Folders with static pages next to compiled sources. */
const pageFolders = ['server/src/live/web', 'server/src/recordings/page']
/** Data that compiled sources read. */
const dataFiles = [
  'server/src/scrape/clean/main-content/main-content-model.json',
  'server/src/gateway/protocol.json.br',
  'server/src/http/field-descriptions.json',
]

/**
 * Packs the assembled packages as `dist/bowline-VERSION.tgz` and `dist/bowline-server-VERSION.tgz`.
 */
export async function packPackages(root) {
  const [command, ...args] = npmCommand()
  const folder = join(root, packagesFolder)
  await runQuietly(command, [...args, 'pack', './bowline', './bowline-server', '--pack-destination', '.'], {
    cwd: folder,
  })
  for (const name of readdirSync(folder)) if (name.endsWith('.tgz')) console.log(join(packagesFolder, name))
}

/** Assembles `dist/bowline` and `dist/bowline-server` from the compiled sources. */
export function assemblePackages(root) {
  for (const folder of pageFolders) copyPages(root, folder)
  for (const file of dataFiles) cpSync(join(root, file), join(root, compiledFolder, file))
  assemble(root, { source: '.', compiled: 'src', extra: ['SKILL.md', 'man'] })
  assemble(root, {
    source: 'server',
    compiled: 'server/src',
    extra: ['docs', 'examples', 'CONTRIBUTING.md', 'SKILL.md', 'llms.txt'],
  })
  cpSync(join(root, 'server/dist/dashboard'), join(root, packagesFolder, 'bowline-server/dist/dashboard'), {
    recursive: true,
  })
  rmSync(join(root, compiledFolder), { recursive: true })
}

/** Copies styles, templates and images, which the compiler does not emit. */
function copyPages(root, folder) {
  const isPage = (path) => ['', '.html', '.css', '.svg'].includes(extname(path))
  cpSync(join(root, folder), join(root, compiledFolder, folder), { recursive: true, filter: isPage })
}

function assemble(root, { source, compiled, extra }) {
  const manifest = readManifest(join(root, source))
  const target = join(root, packagesFolder, manifest.name)
  mkdirSync(target, { recursive: true })
  renameSync(join(root, compiledFolder, compiled), join(target, 'dist'))
  const published = publishedManifest(manifest)
  keepExportedDeclarations(target, published)
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`)
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(target, name))
  const isPublished = (path) => !path.includes('.vitepress')
  for (const name of extra) cpSync(join(root, name), join(target, name), { recursive: true, filter: isPublished })
  writeReadme(root, join(source, 'README.md'), join(target, 'README.md'), manifest.version)
  if (source !== '.') writeReadme(root, 'README.md', join(target, 'docs/README.md'), manifest.version)
  for (const path of Object.values(published.bin)) chmodSync(join(target, path), 0o755)
}

/** Removes the declarations of modules that no exported module refers to. */
function keepExportedDeclarations(target, { exports }) {
  const kept = new Set()
  const keep = (path) => {
    // Comments may mention other files.
    if (kept.has(path) || !existsSync(path)) return
    kept.add(path)
    for (const [, reference] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      keep(join(dirname(path), reference.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  const declarations = readdirSync(join(target, 'dist'), { recursive: true })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(target, 'dist', name))
  for (const { types } of Object.values(exports)) {
    if (types === undefined) continue
    const [start, end] = join(target, types).split('*')
    // `*` stands for any module in its folder.
    declarations.filter((path) => (end === undefined ? path === start : path.startsWith(start))).forEach(keep)
  }
  for (const path of declarations) if (!kept.has(path)) rmSync(path)
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/**
 * Converts package.json for publishing. In the repository its entries are TypeScript sources, which
 * Node runs directly. Published entries are compiled files, since Node does not strip types in
 * node_modules.
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
 * Writes a README with absolute links, since package pages show it outside the repository. The
 * linked documents are part of the server package, so that the client stays small.
 */
function writeReadme(root, source, target, version) {
  const readme = readFileSync(join(root, source), 'utf8').replaceAll(
    /\]\((?!https?:|#|mailto:)(?:\.{1,2}\/)*([^)]+)\)/g,
    (_link, path) => `](${documentsUrl}@${version}/${path.replace(/^README\.md/, 'docs/README.md')})`,
  )
  writeFileSync(target, readme)
}
