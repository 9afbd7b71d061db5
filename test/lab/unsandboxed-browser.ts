import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { browserPaths } from './browser-paths.ts'

/**
 * Writes a browser script that behaves as on a machine without user namespaces: it starts only with
 * `--no-sandbox`, and never in bubblewrap, which has no shell. Returns its path.
 */
export async function writeUnsandboxed(folder: string, start = `exec ${browserPaths.shell} "$@"`): Promise<string> {
  await chmod(folder, 0o755)
  const path = join(folder, 'unsandboxed')
  const script = `#!/bin/sh
[ "$1" = --version ] && echo "Chromium 1.0.0.0" && exit
case " $* " in
  *" --no-sandbox "*) ${start} ;;
esac
echo "No usable sandbox! Update your kernel" >&2
exit 1
`
  await writeFile(path, script, { mode: 0o755 })
  return path
}
