import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { matchesOutput } from './matches-output.ts'
import { repository } from './source-tree.ts'

/** A TypeScript block of a guide, such as `docs/guide/scrape.md`. */
export interface GuideBlock {
  /** File and line, such as `docs/guide/scrape.md:5`. */
  readonly source: string
  /** File name for the block, such as `docs-guide-scrape-5.ts`. */
  readonly fileName: string
  readonly code: string
  /** The `text` block that follows: its output. `…` stands for any text. */
  readonly output: string | undefined
}

/** Reads the TypeScript blocks of all guides. */
export function readGuideBlocks(): readonly GuideBlock[] {
  return guideTexts().flatMap(([path, text]) => blocksOf(path, text))
}

function guideTexts(): readonly (readonly [path: string, text: string])[] {
  return globSync('{README.md,docs/{guide,running}/*.md,docs/*.md}', { cwd: repository })
    .toSorted()
    .map((path) => [path, readFileSync(join(repository, path), 'utf8')])
}

/** A TypeScript block, and its output if only a command stands between them. */
const blockPattern = /^ *```ts\n([\s\S]*?)^ *```$(?:\n(?:\n`[^\n]*` prints:\n)?\n```text\n([\s\S]*?)^```$)?/gm

function blocksOf(path: string, text: string): readonly GuideBlock[] {
  return [...text.matchAll(blockPattern)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length
    const fileName = `${path.replaceAll('/', '-').replace(/\.md$/, '')}-${line}.ts`
    const [, code = '', output] = match
    return { source: `${path}:${line}`, fileName, code, output }
  })
}

/** Commands of a guide whose output it shows. */
export interface GuideCommands {
  readonly source: string
  readonly script: string
  /** `…` stands for any text. */
  readonly output: string
}

/** Reads the shell blocks of all guides that run `bowline` and show its output. */
export function readGuideCommands(): readonly GuideCommands[] {
  return guideTexts().flatMap(([path, text]) =>
    [...text.matchAll(/^```sh\n((?:bowline (?!serve).*\n)+)```\n\n```text\n([\s\S]*?)^```$/gm)].map((match) => {
      const [, script = '', output = ''] = match
      return { source: `${path}:${text.slice(0, match.index).split('\n').length}`, script, output }
    }),
  )
}

/** Reads the Python programs of all guides that show their output. */
export function readGuidePrograms(): readonly GuideCommands[] {
  return guideTexts().flatMap(([path, text]) =>
    [...text.matchAll(/^```python\n((?:(?!```).*\n)+)```\n\n```text\n([\s\S]*?)^```$/gm)].map((match) => {
      const [, script = '', output = ''] = match
      return { source: `${path}:${text.slice(0, match.index).split('\n').length}`, script, output }
    }),
  )
}

/** Pattern for the output of `bowline serve` at any port, with what a guide shows of it. */
export function serveOutputPattern(): RegExp {
  const shown = guideTexts().flatMap(([, text]) =>
    [...text.matchAll(/^```sh\nbowline serve\n```\n\n```text\n([\s\S]*?)^```$/gm)].map(([, output = '']) => output),
  )
  if (shown.length !== 1) throw new Error(`${shown.length} guides show the output of \`bowline serve\``)
  // Log lines stand before and after it.
  return new RegExp(matchesOutput(shown.join('')).source.replaceAll('3900', String.raw`\d+`), 'm')
}

/**
 * Whether a block is a test or a file of a test project, such as its configuration. A test tool
 * runs it.
 */
export function isTestOrSetup({ code }: GuideBlock): boolean {
  return /^export |from 'bowline\/testing/m.test(code)
}

/**
 * A block as a module. A block that creates no client is an excerpt: its module exports a function
 * that receives the objects that the rest of the guide defines.
 */
export function guideModule(block: GuideBlock): string {
  const { code } = block
  if (code.includes('new Bowline(') || isTestOrSetup(block)) return code
  const lines = code.split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  const body = lines.filter((line) => !line.startsWith('import '))
  return [
    ...imports,
    `export async function excerpt({ bowline, session, playwright, puppeteer, chromium, notify, signIn }: {`,
    `  bowline: import('bowline').Bowline`,
    `  session: import('bowline').Session`,
    `  playwright: typeof import('bowline/playwright').playwright`,
    `  puppeteer: typeof import('bowline/puppeteer').puppeteer`,
    `  chromium: typeof import('playwright-core').chromium`,
    `  notify: (text: string) => Promise<void>`,
    `  signIn: (page: import('playwright-core').Page) => Promise<void>`,
    `}) {\n{`,
    ...body,
    `}\n}`,
  ].join('\n')
}
