import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as contract from '../../server/src/http/contract-modules.ts'
import { describeFields, type FieldDescriptions } from '../../server/src/http/describe-fields.ts'

const folder = fileURLToPath(new URL('../../src/contract/', import.meta.url))

/** Comments of the fields of a declaration, by path, such as `profile.name`. */
type Comments = ReadonlyMap<string, string>

/**
 * Returns the doc comments of all fields of the contract. Each field has only its first path.
 * Throws an Error if fields with different comments share a schema: only one would be described.
 */
export function readFieldComments(): FieldDescriptions {
  const seen = new Map<unknown, string>()
  const entries = Object.keys(contract).map((module) => {
    const file = module.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const comments = readModule(readFileSync(`${folder}${file}.ts`, 'utf8'))
    const fields = [...comments].filter(([path, text]) => {
      const schemas = [...describeFields(contract, { [module]: { [path]: text } }).keys()]
      const isNew = schemas.some((schema) => !seen.has(schema))
      const other = schemas.map((schema) => seen.get(schema)).find((known) => known !== undefined && known !== text)
      if (other !== undefined)
        throw new Error(`${module}: ${path} needs a schema of its own, since it shares one with the comment: ${other}`)
      for (const schema of schemas) seen.set(schema, text)
      return isNew
    })
    return [module, Object.fromEntries(fields)] as const
  })
  return Object.fromEntries(entries.filter(([, fields]) => Object.keys(fields).length > 0))
}

function readModule(source: string): Comments {
  const internal = new Map<string, Comments>()
  const fields = new Map<string, string>()
  for (const block of source.split(/^(?=(?:export )?const \w)/m)) {
    const [, exported, name] = /^(export )?const (\w+)/.exec(block) ?? []
    if (name === undefined) continue
    const comments = readDeclaration(block, internal)
    if (exported === undefined) internal.set(name, comments)
    else for (const [path, text] of comments) fields.set(`${name}.${path}`, text)
  }
  return fields
}

/**
 * Reads the comments of a declaration. The indentation of a line tells the objects that contain it.
 * A name of an internal declaration of the module, such as `...shared`, stands for its fields.
 */
function readDeclaration(block: string, internal: ReadonlyMap<string, Comments>): Comments {
  const comments = new Map<string, string>()
  const parents: { readonly name: string; readonly indent: number }[] = []
  let comment: string | undefined
  for (const [line] of block.matchAll(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/$|^.*$/gm)) {
    const code = line.trim()
    if (code === '') continue
    if (code.startsWith('/**')) {
      comment = plain(code)
      continue
    }
    const indent = line.search(/\S/)
    while ((parents.at(-1)?.indent ?? -1) >= indent) parents.pop()
    const name = /^(?:'([\w-]+)'|(\w+)):/
      .exec(code)
      ?.slice(1)
      .find((each) => each !== undefined)
    if (name !== undefined) parents.push({ name, indent })
    const path = parents.map((parent) => parent.name)
    if (name !== undefined && comment !== undefined) comments.set(path.join('.'), comment)
    comment = undefined
    for (const [word] of code.matchAll(/\b\w+\b(?!:)/g)) {
      for (const [inner, text] of internal.get(word) ?? []) comments.set([...path, inner].join('.'), text)
    }
  }
  return comments
}

function plain(comment: string): string {
  return comment
    .replace(/^\/\*\*[\s*]*/, '')
    .replace(/\s*\*\/$/, '')
    .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
}
