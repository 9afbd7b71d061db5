import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'

/** A file of the live view's page, as it is sent. */
export interface PageFile {
  readonly contentType: string
  readonly body: string
}

const folder = new URL('page/', import.meta.url)
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** How the scripts of the page are named: `.ts` when the server runs from its sources, `.js` when it was built. */
export const scriptExtension = extname(import.meta.url)

/** Makes a finder of the files that the page may ask for by name. Each is read once, and scripts made JavaScript, when it is asked for. */
export function createPageFiles(): (name: string) => PageFile | undefined {
  const names = readdirSync(folder).filter((name) => contentTypes[extname(name)] !== undefined && !name.includes('.d.'))
  const known = new Set(names)
  const files = new Map<string, PageFile>()
  return (name) => {
    if (!known.has(name)) return undefined
    const file = files.get(name) ?? readPageFile(name)
    files.set(name, file)
    return file
  }
}

/** The page itself, in which `{{name}}` stands for a value. */
export function readPageTemplate(): string {
  return readFileSync(new URL('page.html', folder), 'utf8')
}

function readPageFile(name: string): PageFile {
  const source = readFileSync(new URL(name, folder), 'utf8')
  const extension = extname(name)
  return {
    contentType: contentTypes[extension] ?? '',
    body: extension === '.ts' ? stripTypeScriptTypes(source) : source,
  }
}
