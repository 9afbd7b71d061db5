import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'

/** A file of the live view page, ready to be sent. */
export interface WebFile {
  readonly contentType: string
  readonly body: string
}

const folder = new URL('web/', import.meta.url)
const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Extension of the page's scripts: `.ts` if the server runs from source, `.js` if it was built. */
export const scriptExtension = extname(import.meta.url)

/**
 * Returns a function that looks up an asset of the page by name. Files are read on first use and
 * cached. TypeScript is stripped to JavaScript.
 */
export function createWebFiles(): (name: string) => WebFile | undefined {
  const names = readdirSync(folder).filter((name) => contentTypes[extname(name)] !== undefined && !name.includes('.d.'))
  const known = new Set(names)
  const files = new Map<string, WebFile>()
  return (name) => {
    if (!known.has(name)) return undefined
    const file = files.get(name) ?? readWebFile(name)
    files.set(name, file)
    return file
  }
}

/** Reads the HTML of the page, with `{{name}}` placeholders. */
export function readPageTemplate(): string {
  return readFileSync(new URL('page.html', folder), 'utf8')
}

function readWebFile(name: string): WebFile {
  const source = readFileSync(new URL(name, folder), 'utf8')
  const extension = extname(name)
  return {
    contentType: contentTypes[extension] ?? '',
    body: extension === '.ts' ? stripTypeScriptTypes(source) : source,
  }
}
