import { readFile, writeFile } from 'node:fs/promises'

/** Replaces a text that must occur in a file. */
export async function replaceInFile(path: string, search: string, replacement: string): Promise<void> {
  const text = await readFile(path, 'utf8')
  if (!text.includes(search)) throw new Error(`${path} has no ${search}`)
  await writeFile(path, text.replace(search, replacement))
}
