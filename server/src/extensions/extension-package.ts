import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { extensionLimits } from 'bowline/contract/extensions'
import { parseManifest, type Manifest } from './manifest.ts'
import { readZip, type ZipFile } from '../kit/read-zip.ts'
import { invalid } from './invalid-extension.ts'

/** A zip whose manifest sessions can load. */
export interface ExtensionPackage {
  readonly manifest: Manifest
  readonly files: ReadonlyMap<string, ZipFile>
}

const manifestName = 'manifest.json'
const maxTextBytes = 1_000_000

/** Parses the zip of an uploaded extension. Throws EXTENSION_INVALID. */
export async function openPackage(zip: Buffer, id: string): Promise<ExtensionPackage> {
  const files = extensionFiles(readZip(zip, { ...extensionLimits, invalid }))
  const manifest = files.get(manifestName)
  if (manifest === undefined) {
    throw invalid('The zip has no manifest.json in its top folder', {
      hint: 'Zip the contents of the folder that has manifest.json, as Chromium loads it with "Load unpacked".',
    })
  }
  return { manifest: parseManifest(await readText(manifest), id), files }
}

/** Unpacks every file once. Throws EXTENSION_INVALID if one is corrupt. */
export async function checkFiles({ files }: ExtensionPackage): Promise<void> {
  // One by one: together they could take four times the memory of the zip.
  for (const file of files.values()) await file.read()
}

/** Writes the extension to an empty folder. All users may read the files. */
export async function unpackTo(folder: string, { files, manifest }: ExtensionPackage): Promise<void> {
  for (const [path, file] of files) {
    const target = join(folder, path)
    await makeFolders(dirname(target), folder)
    const contents = path === manifestName ? manifest.text : await file.read()
    // `wx`: existing files are never written to.
    await writeFile(target, contents, { flag: 'wx' })
    await chmod(target, 0o644)
  }
}

/** Makes missing folders below `root`. Their modes do not depend on the umask of the server. */
async function makeFolders(path: string, root: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let folder = path; folder !== dirname(first) && folder !== root; folder = dirname(folder)) {
    await chmod(folder, 0o755)
  }
}

const messages = z.record(z.string(), z.looseObject({ message: z.string() }))

/** Returns the name of an extension in its default locale, on one line. */
export async function readName({ manifest, files }: ExtensionPackage): Promise<string> {
  const { name, defaultLocale } = manifest
  const [, key] = /^__MSG_(\w+)__$/.exec(name) ?? []
  const file = files.get(`_locales/${defaultLocale}/messages.json`)
  const shown = (key === undefined || file === undefined ? undefined : await readMessage(file, key)) ?? name
  return shown.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200)
}

/** Names of messages ignore case. */
async function readMessage(file: ZipFile, key: string): Promise<string | undefined> {
  try {
    const all = messages.parse(JSON.parse((await readText(file)).replace(/^\uFEFF/, '')))
    return Object.entries(all).find(([name]) => name.toLowerCase() === key.toLowerCase())?.[1].message
  } catch {
    // Chromium reports malformed messages when it loads the extension.
    return undefined
  }
}

async function readText(file: ZipFile): Promise<string> {
  if (file.size > maxTextBytes) throw invalid(`${file.path} has more than ${maxTextBytes / 1e6} MB`)
  return (await file.read()).toString()
}

/**
 * Removes the folder that contains everything, if there is one, and files that Chromium reserves or
 * that archivers add.
 */
function extensionFiles(files: readonly ZipFile[]): ReadonlyMap<string, ZipFile> {
  const useful = files.filter(({ path }) => !/^__MACOSX\/|(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(path))
  const root = useful.some(({ path }) => path === manifestName) ? '' : topFolder(useful)
  const named = useful.map((file) => [file.path.slice(root.length), file] as const)
  return new Map(named.filter(([path]) => !/^_metadata(?:\/|$)/i.test(path)))
}

/** The folder with a slash that all files are in, empty if there is none. */
function topFolder(files: readonly ZipFile[]): string {
  const [first = ''] = files.map(({ path }) => path.slice(0, path.indexOf('/') + 1))
  return files.every(({ path }) => path.startsWith(first)) ? first : ''
}
