import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { smallCompilerFlags } from '../../server/src/cli/small-compiler.ts'
import { templatePath } from '../../server/src/store/create-cluster.ts'
import { compileCache } from './compile-cache.ts'

const program = fileURLToPath(new URL('warm-up-program.ts', import.meta.url))

/**
 * Fills what the processes of a run share, in a clone and a home where nothing has run: what they compile, and the
 * template of an empty database. The first files of a run start ten servers, and each would do it for itself.
 */
export async function warmUp(): Promise<void> {
  if (existsSync(compileCache) && existsSync(await templatePath())) return
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  await promisify(execFile)(process.execPath, [...smallCompilerFlags, program], { env })
}
