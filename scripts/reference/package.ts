import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import * as contract from '../../server/src/http/contract-modules.ts'
import { describeSchema, type Io } from './http.ts'
import { page } from './markdown.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Lists the public entry points of both packages with their source files. Skips the contract, which
 * is documented in docs/reference/http.md, and entries with `*`, which only `bowline-server` uses.
 */
async function readEntries(): Promise<readonly (readonly [string, string])[]> {
  const read = async (name: string, folder: string): Promise<readonly (readonly [string, string])[]> => {
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, string>>
    }
    return Object.entries(manifest.exports)
      .filter(([path]) => !path.includes('*') && !['./package.json', './contract', './commands'].includes(path))
      .map(([path, target]) => [path.replace('.', name), join(folder, target)])
  }
  return [...(await read('bowline', '.')), ...(await read('bowline-server', 'server'))]
}

/** Generates the page of all exports from the declarations that the compiler emits. */
export async function describePackage(): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-reference-'))
  const flags = [
    '-p',
    'tsconfig.build.json',
    '--emitDeclarationOnly',
    '--noCheck',
    '--singleThreaded',
    '--outDir',
    folder.path,
  ]
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags], { cwd: root })
  const read = async (path: string): Promise<string> =>
    readFile(join(folder.path, path.replace(/\.(ts|js)$/, '.d.ts')), 'utf8')
  const sections = (await readEntries()).map(async ([name, file]) => {
    const list = await read(file)
    const exports = [...list.matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']+)'/g)]
    const shown = exports.map(async ([, names = '', from = '']) =>
      declarationsOf(
        await read(join(dirname(file), from)),
        names.split(',').filter((each) => each.trim() !== ''),
      ),
    )
    return page([`## ${name}`, docOf(list), ...new Set((await Promise.all(shown)).flat())]).trimEnd()
  })
  return page([
    '# TypeScript API',
    'The exports of both packages. Most programs need only `Bowline` and one driver.',
    ...(await Promise.all(sections)),
  ])
}

/** Returns the module comment of an entry point. */
function docOf(list: string): string {
  return (
    /^(?:\/\/\/ .*\n)*\/\*\*([\s\S]*?)\*\//
      .exec(list)?.[1]
      ?.replaceAll(/\s*\n\s*\*?\s*/g, ' ')
      .replace('@module', '')
      .trim() ?? ''
  )
}

function declarationsOf(text: string, names: readonly string[]): readonly string[] {
  return names.map((entry) => {
    const name = entry.replace('type ', '').trim().split(' as ')[0] ?? ''
    const start = new RegExp(
      `((?:/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n)?)export (?:declare )?(?:abstract )?(?:const|class|interface|type|function) ${name}\\b`,
    ).exec(text)
    if (start === null) return ''
    const declaration = untilEnd(text.slice(start.index))
    const { code, example } = separateExample(declaration, start[1] ?? '')
    const indented = code.replaceAll(/export (declare )?/g, '').replaceAll(/^(?: {4})+/gm, halveIndent)
    return page([`### ${name}`, `\`\`\`ts\n${indented}\n\`\`\``, describeInferred(indented), example]).trimEnd()
  })
}

/** Schemas of the contract by the names of their constants. */
const schemas = new Map<string, unknown>(
  Object.values<Readonly<Record<string, unknown>>>(contract).flatMap((module) => Object.entries(module)),
)

/** Describes the fields of a type that is inferred from a schema, which its declaration hides. */
function describeInferred(code: string): string {
  const [, io, name = '', after = ''] = /\bz\.(input|output)<typeof (\w+)>(?:, ([^>]*))?/.exec(code) ?? []
  const schema = schemas.get(name)
  if (io === undefined || !(schema instanceof z.ZodType)) return ''
  const fields = schemas.get(/keyof typeof (\w+)/.exec(after)?.[1] ?? '')
  const omitted = [...after.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '')
  return describeSchema(schema, io as Io, [...omitted, ...Object.keys(fields ?? {})])
}

/** Moves the example below its declaration, since a code block cannot contain another one. */
function separateExample(declaration: string, comment: string): { readonly code: string; readonly example: string } {
  const tag = /\n \*\n \* @example\n \* ```ts\n([\s\S]*?)\n \* ```/
  const program = tag.exec(comment)?.[1]?.replaceAll(/^ \* ?/gm, '')
  if (program === undefined) return { code: declaration, example: '' }
  const code = comment.replace(tag, '') + declaration.slice(comment.length)
  return { code, example: `Example:\n\n\`\`\`ts\n${program}\n\`\`\`` }
}

function halveIndent(spaces: string): string {
  return spaces.slice(spaces.length / 2)
}

/** Returns the text up to the start of the next top-level declaration or its comment. */
function untilEnd(text: string): string {
  const body = text.search(/^export /m)
  const next = text.slice(body + 1).search(/^(?:\/\*\*|export |declare |type |interface |const |\/\/#)/m)
  return (next === -1 ? text : text.slice(0, body + 1 + next)).trimEnd()
}
