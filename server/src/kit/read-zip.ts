import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { isFileName } from 'bowline/kit/file-name'

/** Limits on the contents of a zip, and the error of one that cannot be read. */
export interface ZipLimits {
  readonly files: number
  readonly contentBytes: number
  /** Creates the error. `problem`: of the zip itself, of its size, or of one of its files. */
  readonly invalid: (
    message: string,
    options: { readonly hint?: string; readonly cause?: unknown; readonly problem?: 'notZip' | 'size' | 'encrypted' },
  ) => Error
}

/** A file in a zip. */
export interface ZipFile {
  /** Relative path with `/`, without "." and "..". */
  readonly path: string
  /** Size of its contents in bytes. */
  readonly size: number
  /** Unpacks it. Throws the error of `invalid` if it is corrupt or larger than `size`. */
  readonly read: () => Promise<Buffer>
}

const inflate = promisify(inflateRaw)

const endSignature = 0x06_05_4b_50
const entrySignature = 0x02_01_4b_50
const localSignature = 0x04_03_4b_50
const endBytes = 22
const maxCommentBytes = 0xff_ff
const maxDepth = 32
const methods = { stored: 0, deflated: 8 } as const

/**
 * Lists the files of a zip, or of a `.crx`, which is a zip with a header. Folders are left out.
 * Nothing is unpacked yet. Throws the error of `limits.invalid` if the zip is malformed or exceeds
 * a limit, or if a file in it is encrypted, a link or outside its folder.
 */
export function readZip(bytes: Buffer, limits: ZipLimits): readonly ZipFile[] {
  try {
    return listFiles(withoutCrxHeader(bytes), limits)
  } catch (error) {
    if (error instanceof RangeError) throw limits.invalid('The zip is truncated or malformed', { cause: error })
    throw error
  }
}

/** The header of a `.crx` has a signature, which Chromium ignores for unpacked extensions. */
function withoutCrxHeader(bytes: Buffer): Buffer {
  return bytes.subarray(0, 4).toString('latin1') === 'Cr24' ? bytes.subarray(12 + bytes.readUInt32LE(8)) : bytes
}

function listFiles(bytes: Buffer, limits: ZipLimits): readonly ZipFile[] {
  const { invalid } = limits
  const end = findEnd(bytes, limits)
  const count = bytes.readUInt16LE(end + 10)
  let position = bytes.readUInt32LE(end + 16)
  if (count > 2 * limits.files) throw tooManyFiles(limits)
  const files = new Map<string, ZipFile>()
  let contentBytes = 0
  for (let index = 0; index < count; index++) {
    const { file, next } = readEntry(bytes, position, limits)
    position = next
    if (file === undefined) continue
    contentBytes += file.size
    if (files.has(file.path)) throw invalid(`The zip contains ${quote(file.path)} twice`, {})
    files.set(file.path, file)
  }
  if (files.size > limits.files) throw tooManyFiles(limits)
  if (contentBytes > limits.contentBytes) {
    throw invalid(`The files in the zip have ${megabytes(contentBytes)}: at most ${megabytes(limits.contentBytes)}`, {
      problem: 'size',
    })
  }
  assertNoFileIsFolder(files, limits)
  return [...files.values()]
}

function findEnd(bytes: Buffer, { invalid }: ZipLimits): number {
  for (let at = bytes.length - endBytes; at >= Math.max(0, bytes.length - endBytes - maxCommentBytes); at--) {
    if (bytes.readUInt32LE(at) === endSignature) return at
  }
  throw invalid('The body is not a zip', { problem: 'notZip' })
}

/** Reads an entry of the directory. `file`: undefined for a folder. */
function readEntry(
  bytes: Buffer,
  at: number,
  { invalid }: ZipLimits,
): { readonly file: ZipFile | undefined; readonly next: number } {
  if (bytes.readUInt32LE(at) !== entrySignature) throw invalid('The zip is truncated or malformed', {})
  const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
  const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  const name = bytes.subarray(at + 46, nameEnd).toString()
  const flags = bytes.readUInt16LE(at + 8)
  const method = bytes.readUInt16LE(at + 10)
  const checksum = bytes.readUInt32LE(at + 16)
  const packedSize = bytes.readUInt32LE(at + 20)
  const size = bytes.readUInt32LE(at + 24)
  const start = bytes.readUInt32LE(at + 42)
  // The upper half has the mode of a file on Unix.
  const type = (bytes.readUInt32LE(at + 38) >>> 16) & 0o170000
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw invalid(`${quote(name)} in the zip is a link or a device`, {
      hint: 'Replace it with a copy of the file, for example with `zip` without `--symlinks`.',
    })
  }
  if ((flags & 1) !== 0) {
    throw invalid(`${quote(name)} in the zip is encrypted`, {
      hint: 'Zip it without a password.',
      problem: 'encrypted',
    })
  }
  if (name.endsWith('/')) return { file: undefined, next }
  const parts = name.split('/')
  if (parts.length > maxDepth || !parts.every(isFileName)) {
    throw invalid(`${quote(name)} in the zip is not a relative path`, {
      hint: 'Use paths below its folder, without "..", "\\" and control characters.',
    })
  }
  if (method !== methods.stored && method !== methods.deflated) {
    throw invalid(`${quote(name)} in the zip is compressed with method ${method}`, { hint: 'Use deflate.' })
  }
  const read = async (): Promise<Buffer> => {
    const contents = await unpack(contentsAt(bytes, start, packedSize), { isStored: method === methods.stored, size })
    if (contents?.length === size && crc32(contents) === checksum) return contents
    throw invalid(`${quote(name)} in the zip is corrupt: its size or checksum is wrong`, {})
  }
  return { file: { path: name, size, read }, next }
}

/** Undefined if the data is invalid, or unpacks to more than `size`. */
async function unpack(
  packed: Buffer | undefined,
  { isStored, size }: { readonly isStored: boolean; readonly size: number },
): Promise<Buffer | undefined> {
  if (packed === undefined || isStored) return packed
  return inflate(packed, { maxOutputLength: Math.max(1, size) }).catch(() => undefined)
}

/** Returns the data of a file, undefined if it is outside the zip. */
function contentsAt(bytes: Buffer, at: number, size: number): Buffer | undefined {
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localSignature) return undefined
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  return start + size > bytes.length ? undefined : bytes.subarray(start, start + size)
}

/** A path such as `a/b` cannot be written if `a` is a file. */
function assertNoFileIsFolder(files: ReadonlyMap<string, unknown>, { invalid }: ZipLimits): void {
  for (const path of files.keys()) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
      const folder = path.slice(0, slash)
      if (files.has(folder)) throw invalid(`${quote(folder)} in the zip is both a file and a folder`, {})
    }
  }
}

function tooManyFiles({ files, invalid }: ZipLimits): Error {
  return invalid(`The zip contains too many files: at most ${files}`, { problem: 'size' })
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}
