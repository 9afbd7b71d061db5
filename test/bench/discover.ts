import { readdirSync, readFileSync } from 'node:fs'
import type { BenchGroup } from './group.ts'

/**
 * Loads the named groups of this folder, or all, in the order of their file names. Throws an Error
 * for an unknown name.
 */
export async function discoverGroups(names: readonly string[]): Promise<readonly BenchGroup[]> {
  // Only files that export a group are imported: others may be programs that start at once.
  const files = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /^export const group\b/m.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')))
  const groups = await Promise.all(
    files.map(async (file) => ((await import(`./${file}`)) as { readonly group: BenchGroup }).group),
  )
  const unknown = names.filter((name) => !groups.some((group) => group.name === name))
  if (unknown.length > 0) {
    const known = groups.map(({ name }) => name).join(', ')
    throw new Error(`Unknown benchmark "${unknown.join('", "')}". Benchmarks: ${known}.`)
  }
  return groups.filter((group) => names.length === 0 || names.includes(group.name))
}
