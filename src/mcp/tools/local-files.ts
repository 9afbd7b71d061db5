import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { BowlineError } from '../../kit/errors.ts'
import { messageOf } from '../../kit/message-of.ts'
import { freeFileName, sanitizeFileName } from '../../kit/file-name.ts'
import type { ToolOptions } from '../tool-options.ts'
import { textResult } from './result.ts'
import type { Content } from './tool.ts'

type Folder = Pick<ToolOptions, 'filesDir'>

/**
 * Saves a file to the folder of the tools under a free name, or returns it if there is none. Throws
 * PAYLOAD_TOO_LARGE for a file over 5 MB without a folder.
 */
export async function saveFile(content: Uint8Array, name: string, options: Folder): Promise<readonly Content[]> {
  const { filesDir } = options
  if (filesDir !== undefined) {
    const path = await freePath(filesDir, name)
    await writeFile(path, content, { flag: 'wx' })
    return textResult(`Saved ${content.byteLength} bytes to ${path}.`)
  }
  if (content.byteLength > maxInlineBytes) {
    throw new BowlineError('PAYLOAD_TOO_LARGE', `${name} has ${content.byteLength} bytes, more than fit in a message`, {
      hint: 'Start `bowline mcp` with --files-dir, or read it with `bowline sessions files`.',
    })
  }
  const resource = {
    uri: `bowline://files/${encodeURIComponent(name)}`,
    mimeType: name.endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream',
    blob: Buffer.from(content).toString('base64'),
  }
  return [{ type: 'resource', resource }]
}

/** Returns an unused path in the folder for a file name that a page or a model has chosen. */
export async function freePath(filesDir: string, name: string): Promise<string> {
  await mkdir(filesDir, { recursive: true })
  return join(
    filesDir,
    freeFileName(sanitizeFileName(basename(name)), (each) => existsSync(join(filesDir, each))),
  )
}

/** Reads a file of the folder. Throws LOCAL_FILE_FAILED for files elsewhere. */
export async function readLocalFile(path: string, { filesDir }: Folder): Promise<{ name: string; buffer: Buffer }> {
  if (filesDir === undefined) {
    throw new BowlineError('LOCAL_FILE_FAILED', 'These tools cannot read local files', {
      hint: 'Pass the content of the file in `files`, or start `bowline mcp` with --files-dir.',
    })
  }
  try {
    // Symbolic links must not lead out of the folder.
    const [folder, file] = await Promise.all([realpath(filesDir), realpath(resolve(filesDir, path))])
    const inside = relative(folder, file)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) throw new Error(`it is not in ${filesDir}`)
    return { name: basename(file), buffer: await readFile(file) }
  } catch (cause) {
    throw new BowlineError('LOCAL_FILE_FAILED', `Cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}

const maxInlineBytes = 5_000_000
