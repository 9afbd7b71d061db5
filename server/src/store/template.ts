import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { uuidV7 } from 'bowline/kit/ids'
import { makeFolder } from 'bowline/kit/make-folder'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/**
 * Larger than a packed database. With the default of 16 kB, decompression causes twice the garbage
 * collection.
 */
const decompressChunkBytes = 64 * 1024 ** 2

/**
 * Index of a packed file. It is preceded by its length in four bytes and followed by the file
 * contents.
 */
interface Index {
  readonly folders: readonly string[]
  readonly files: readonly { readonly path: string; readonly start: number; readonly end: number }[]
}

/** Packs a directory tree into one compressed file with a checksum, atomically. */
export async function packFolder(folder: string, file: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const pathOf = (entry: (typeof entries)[number]): string => relative(folder, join(entry.parentPath, entry.name))
  const paths = entries.filter((entry) => entry.isFile()).map(pathOf)
  const contents = await Promise.all(paths.map((path) => readFile(join(folder, path))))
  let end = 0
  const files = contents.map((bytes, position) => ({
    path: paths[position] ?? '',
    start: end,
    end: (end += bytes.length),
  }))
  const index: Index = { folders: entries.filter((entry) => entry.isDirectory()).map(pathOf), files }
  const head = Buffer.from(JSON.stringify(index))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const params = { [constants.ZSTD_c_checksumFlag]: 1 }
  await writeFileAtomically(file, await compress(Buffer.concat([length, head, ...contents]), { params }))
}

async function writeFileAtomically(file: string, bytes: Buffer): Promise<void> {
  await makeFolder(dirname(file))
  const draft = `${file}.${uuidV7()}`
  try {
    await writeFile(draft, bytes, { mode: 0o600, flush: true })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Unpacks a file into a new `folder`. Throws if the file is missing or damaged, if another user can
 * have written it, or if the folder exists.
 */
export async function unpackFolder(file: string, folder: string): Promise<void> {
  const bytes = await decompress(await readOwnFile(file), { chunkSize: decompressChunkBytes })
  const origin = 4 + bytes.readUInt32LE(0)
  const index = JSON.parse(bytes.toString('utf8', 4, origin)) as Index
  await mkdir(folder, { mode: 0o700 })
  // Synchronous calls take a fifth of the time for a thousand small files, as they avoid the thread
  // pool.
  for (const path of index.folders) mkdirSync(join(folder, path), { recursive: true, mode: 0o700 })
  for (const { path, start, end } of index.files) {
    writeFileSync(join(folder, path), bytes.subarray(origin + start, origin + end), { mode: 0o600 })
  }
}

/**
 * Reads a file and sets its times to now. Throws if another user owns it or can write it: with
 * `HOME` of another user, as under some `sudo`, they could choose the paths that are written and
 * the contents of a database.
 */
async function readOwnFile(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { uid, mode } = await file.stat()
  if (uid !== (process.geteuid?.() ?? uid) || (mode & 0o022) !== 0) {
    throw new Error('The file belongs to another user, or other users can write it')
  }
  // The time of its last use. Templates that are not used are deleted.
  const now = new Date()
  await file.utimes(now, now).catch(() => undefined)
  // Without `await`, a failed read would be an unhandled rejection while the file is closed.
  return await file.readFile()
}
