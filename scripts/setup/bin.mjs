import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes the programs named under `bin` in package.json executable: the compiler does not. */
export const makeExecutable = (root) => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const path of Object.values(bin)) chmodSync(join(root, path), 0o755)
}
