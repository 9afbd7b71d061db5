import { crc32, deflateRawSync } from 'node:zlib'

/** A file of a zip. The other fields override the headers that its contents would have. */
export interface ZipEntry {
  readonly path: string
  readonly contents: string | Buffer
  readonly size?: number
  readonly mode?: number
  readonly flags?: number
  readonly method?: number
}

/** Creates a zip. */
export function createZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, contents, mode = 0o100644, flags = 0, method = 8, ...given } of entries) {
    const name = Buffer.from(path)
    const plain = Buffer.from(contents)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const { size = plain.length } = given
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04_03_4b_50, 0)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02_01_4b_50, 0)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(crc32(plain), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(size, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(mode * 0x1_00_00, 38)
    entry.writeUInt32LE(offset, 42)
    locals.push(local, name, packed)
    directory.push(entry, name)
    offset += local.length + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  const directoryBytes = Buffer.concat(directory)
  end.writeUInt32LE(0x06_05_4b_50, 0)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directoryBytes.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directoryBytes, end])
}

/** Creates the zip of an extension with these files. `manifest`: fields that it needs. */
export function zipExtension(manifest: object, files: Readonly<Record<string, string>> = {}): Buffer {
  const all = { manifest_version: 3, name: 'Probe', version: '1.0', ...manifest }
  return createZip([
    { path: 'manifest.json', contents: JSON.stringify(all) },
    ...Object.entries(files).map(([path, contents]) => ({ path, contents })),
  ])
}
