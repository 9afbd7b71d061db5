import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders of the code of a session, on the server's machine. They live as long as its browser. */
export interface CodeFolder {
  /** The folder of the three below. In a jail, `openCodeStorage` mounts a file system there. */
  readonly files: string
  readonly home: string
  readonly tmp: string
  readonly sharedMemory: string
  /** Files of `/etc`: users, groups and hosts. */
  readonly etc: string
  /** The program of the Node.js interpreter. */
  readonly nodeProgram: string
}

const extension = extname(import.meta.url)
const nodeProgram = fileURLToPath(new URL(`./programs/node-program${extension}`, import.meta.url))

/**
 * Creates the folders of a session's code in the folder of its browser. `uid`: the user that runs
 * it (default: the server's).
 */
export async function makeCodeFolder(browserRoot: string, uid: number | undefined): Promise<CodeFolder> {
  const root = join(browserRoot, 'code')
  const files = join(root, 'files')
  const folder: CodeFolder = {
    files,
    home: join(files, 'home'),
    tmp: join(files, 'tmp'),
    sharedMemory: join(files, 'shm'),
    etc: join(root, 'etc'),
    // Node.js reads the format of a module from its name.
    nodeProgram: join(root, extension === '.ts' ? 'program.mts' : 'program.mjs'),
  }
  await mkdir(root)
  await chmod(root, 0o711)
  for (const path of [files, folder.home, folder.tmp, folder.sharedMemory]) {
    await mkdir(path, { mode: 0o700 })
    if (uid !== undefined) await chown(path, uid, uid)
  }
  await mkdir(folder.etc)
  await chmod(folder.etc, 0o755)
  const user = uid ?? process.getuid?.() ?? 0
  const contents = {
    [join(folder.etc, 'passwd')]: `session:x:${user}:${user}::/session:/bin/bash\n`,
    [join(folder.etc, 'group')]: `session:x:${user}:\n`,
    [join(folder.etc, 'hosts')]: '127.0.0.1 localhost\n',
    // A copy, because the session's user may not be able to read the folder of the server.
    [folder.nodeProgram]: await readFile(nodeProgram),
  }
  for (const [path, content] of Object.entries(contents)) {
    await writeFile(path, content)
    await chmod(path, 0o444)
  }
  return folder
}
