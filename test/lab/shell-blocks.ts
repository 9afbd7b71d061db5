import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './source-tree.ts'

/** A shell block of the documentation that installs packages of the repository. */
export interface InstallBlock {
  /** File and line, such as `README.md:56`. */
  readonly source: string
  /** Its commands, one a line, without those that set variables or prepare the clone. */
  readonly commands: readonly string[]
}

/** Reads the shell blocks of the documentation that install tarballs from a clone next to them. */
export function readInstallBlocks(): readonly InstallBlock[] {
  return globSync('{README.md,server/README.md,docs/{guide,running}/*.md}', { cwd: repository })
    .toSorted()
    .flatMap((path) => blocksOf(path, readFileSync(join(repository, path), 'utf8')))
}

/** Reads all lines of the documentation that install a tarball. */
export function readTarballLines(): readonly string[] {
  return globSync('{README.md,server/README.md,docs/{guide,running}/*.md,deploy/*}', { cwd: repository })
    .filter((path) => /\.(?:md|service)$/.test(path))
    .flatMap((path) => readFileSync(join(repository, path), 'utf8').split('\n'))
    .filter((line) => /npm install .*\.tgz/.test(line))
}

/** Reads the first program of the README, with another page instead of https://example.com. */
export function readFirstProgram(url: string): string {
  const readme = readFileSync(join(repository, 'README.md'), 'utf8')
  return (/```(?:ts|js)\n([\s\S]*?)```/.exec(readme)?.[1] ?? '').replace('https://example.com', url)
}

function blocksOf(path: string, text: string): readonly InstallBlock[] {
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .filter(([block]) => block.includes('npm install ../bowline/'))
    .map((match) => ({
      source: `${path}:${text.slice(0, match.index).split('\n').length}`,
      commands: (match[1] ?? '').split('\n').filter((line) => line !== '' && !/^(?:export|cd|npm run) /.test(line)),
    }))
}
