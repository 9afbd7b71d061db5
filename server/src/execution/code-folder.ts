import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders of the code of a session, on the server's machine. They live as long as its browser. */
export interface CodeFolder {
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
  const folder: CodeFolder = {
    home: join(root, 'home'),
    tmp: join(root, 'tmp'),
    sharedMemory: join(root, 'shm'),
    etc: join(root, 'etc'),
    // Node.js reads the format of a module from its name.
    nodeProgram: join(root, extension === '.ts' ? 'program.mts' : 'program.mjs'),
  }
  await mkdir(root)
  await chmod(root, 0o711)
  for (const path of [folder.home, folder.tmp, folder.sharedMemory]) {
    await mkdir(path, { mode: 0o700 })
    if (uid !== undefined) await chown(path, uid, uid)
  }
  await mkdir(folder.etc)
  await chmod(folder.etc, 0o755)
  const user = uid ?? process.getuid?.() ?? 0
  const files = {
    [join(folder.etc, 'passwd')]: `session:x:${user}:${user}::/session:/bin/bash\n`,
    [join(folder.etc, 'group')]: `session:x:${user}:\n`,
    [join(folder.etc, 'hosts')]: '127.0.0.1 localhost\n',
    // A copy, because the session's user may not be able to read the folder of the server.
    // The egress proxy accepts plain HTTP only through tunnels.
    [join(folder.home, '.curlrc')]: 'proxytunnel\n',
    [folder.nodeProgram]: await readFile(nodeProgram),
  }
  for (const [path, content] of Object.entries(files)) {
    await writeFile(path, content)
    await chmod(path, 0o444)
  }
  return folder
}
