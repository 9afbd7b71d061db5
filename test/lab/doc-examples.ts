import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './source-tree.ts'

/** An `@example` of a doc comment. */
export interface DocExample {
  /** File and line, such as `src/client/map.ts:22`. */
  readonly source: string
  /** File name for the program, such as `src-client-map-22.ts`. */
  readonly fileName: string
  readonly program: string
}

/** Reads the examples of all doc comments of both packages. */
export function readDocExamples(): readonly DocExample[] {
  return globSync('{src,server/src}/**/*.ts', { cwd: repository })
    .toSorted()
    .flatMap((path) => examplesOf(path, readFileSync(join(repository, path), 'utf8')))
}

function examplesOf(path: string, source: string): readonly DocExample[] {
  return [...source.matchAll(/^ *\* @example\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map((match) => {
    const line = source.slice(0, match.index).split('\n').length
    const program = (match[1] ?? '').replaceAll(/^ *\* ?/gm, '')
    return {
      source: `${path}:${line}`,
      fileName: `${path.replaceAll('/', '-').replace(/\.ts$/, '')}-${line}.ts`,
      program,
    }
  })
}

/**
 * Whether an example is a complete program, as opposed to a test, a configuration or a program that
 * reads standard input.
 */
export function isProgram({ program }: DocExample): boolean {
  return !/from '(?:vitest|@playwright\/test|bowline\/testing)'|serveMcpStdio/.test(program)
}
