import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A source file of the repository. */
export interface SourceFile {
  /** Path from the root of the repository, such as `src/kit/errors.ts`. */
  readonly path: string
  readonly text: string
  /** Paths of the files it imports statically, types included. */
  readonly imports: readonly string[]
  /** Names of the packages it imports statically, without Node's own. */
  readonly packages: readonly string[]
}

/** Root of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** Reads the files that match a glob, with their imports. */
export function readSourceFiles(pattern: string): readonly SourceFile[] {
  return globSync(pattern, { cwd: repository, exclude: ['**/node_modules/**'] }).map((path) => {
    const text = readFileSync(join(repository, path), 'utf8')
    const specifiers = staticSpecifiers(text)
    return {
      path,
      text,
      imports: specifiers.flatMap((specifier) => sourceOf(path, specifier)),
      packages: specifiers.filter((name) => !isRelative(name) && !name.startsWith('node:')).map(packageOf),
    }
  })
}

/** Counts lines that are neither blank nor comments. */
export function countCodeLines(text: string): number {
  return text
    .replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length
}

/** Names of all packages that a file imports statically or dynamically, without Node's own. */
export function importedPackages(text: string): readonly string[] {
  return [...staticSpecifiers(text), ...[...text.matchAll(/import\('([^']+)'\)/g)].map((match) => match[1] ?? '')]
    .filter((name) => !isRelative(name) && !name.startsWith('node:'))
    .map(packageOf)
}

function staticSpecifiers(text: string): readonly string[] {
  return [...text.matchAll(/^(?:import|export)\s(?:[^'"`]*?\sfrom\s+)?'([^']+)'/gm)].map((match) => match[1] ?? '')
}

/**
 * Resolves a specifier to a source file, including `bowline/…`. Empty for packages and style
 * sheets.
 */
function sourceOf(importer: string, specifier: string): readonly string[] {
  if (isRelative(specifier)) return specifier.endsWith('.css') ? [] : [normalize(join(dirname(importer), specifier))]
  const own = /^bowline\/(.+)$/.exec(specifier)?.[1]
  return own === undefined ? [] : [`src/${own}.ts`]
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
