import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'

const contract = fileURLToPath(new URL('../../src/contract/', import.meta.url))

/** Returns the doc comment of a field of a schema. */
export type FieldComments = (schema: z.ZodType, field: string) => string

/** Reads the doc comments of all exported schemas of the contract. */
export async function readFieldComments(): Promise<FieldComments> {
  const comments = new Map<unknown, ReadonlyMap<string, string>>()
  for (const name of globSync('*.ts', { cwd: contract })) {
    const blocks = commentsByExport(readFileSync(contract + name, 'utf8'))
    const module = (await import(contract + name)) as Readonly<Record<string, unknown>>
    for (const [exported, fields] of blocks) comments.set(module[exported], fields)
  }
  return (schema, field) => comments.get(schema)?.get(field) ?? ''
}

function commentsByExport(source: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const blocks = source.split(/^export const (?=\w)/m).slice(1)
  return new Map(
    blocks.map((block) => {
      const name = /^\w+/.exec(block)?.[0] ?? ''
      const fields = block.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+):/g)
      return [name, new Map([...fields].map(([, text = '', field = '']) => [field, plain(text)]))]
    }),
  )
}

function plain(comment: string): string {
  return comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()
}
