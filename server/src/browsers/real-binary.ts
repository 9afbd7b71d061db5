import { access, constants, open, readFile, realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/**
 * Folders whose launcher scripts only add a distribution's defaults. Scripts elsewhere may do setup
 * the browser needs.
 */
const systemFolders = ['/bin', '/usr/bin', '/usr/local/bin', '/opt']

/**
 * Returns the program behind a distribution's launcher script: a script that does not `exec` would
 * outlive or orphan its browser. Returns other paths unchanged.
 */
export async function realBinary(path: string): Promise<string> {
  const real = await realpath(path)
  if (!systemFolders.some((folder) => real.startsWith(`${folder}/`)) || !(await isScript(real))) return path
  const script = await readFile(real, 'utf8')
  const name = basename(path)
  const here = dirname(real)
  const candidates = [...absolutePaths(script), `/usr/lib/${name}/${name}`, `${here}/chrome`, `${here}/chromium`]
  for (const candidate of candidates) if (await isBrowserProgram(candidate)) return candidate
  return path
}

/** Whether a program is a script. Rejects if it cannot be read. */
export async function isScript(path: string): Promise<boolean> {
  return (await firstBytes(path)) === '#!'
}

/** Extracts absolute paths from a shell script, with its simple variable assignments expanded. */
function absolutePaths(script: string): readonly string[] {
  const assigned = new Map<string, string>()
  const expand = (text: string): string =>
    text.replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => assigned.get(name) ?? whole)
  for (const [, name = '', value = ''] of script.matchAll(/^\s*(\w+)="?([\w/.$-]+)"?$/gm)) {
    assigned.set(name, expand(value))
  }
  return [...expand(script).matchAll(/\/[\w./-]+/g)].map(([path]) => path)
}

async function isBrowserProgram(path: string): Promise<boolean> {
  if (!/chrom|headless/.test(basename(path))) return false
  try {
    await access(path, constants.X_OK)
    return (await firstBytes(path)) === '\x7fE'
  } catch {
    // A file that cannot be read is not known to be a binary.
    return false
  }
}

async function firstBytes(path: string): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
  return buffer.toString('latin1', 0, bytesRead)
}
