import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { wasmCompilerFlags } from '../../server/src/cli/limit-wasm-compiler.ts'
import { templatePath } from '../../server/src/store/create-pglite-folder.ts'
import { compileCache } from './compile-cache.ts'

const program = fileURLToPath(new URL('warm-up-program.ts', import.meta.url))

/**
 * Fills the caches that test processes share: the compile cache and the template of an empty
 * database. Otherwise the first servers of a run would each fill them.
 */
export async function warmUp(): Promise<void> {
  if (existsSync(compileCache) && existsSync(await templatePath())) return
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  await promisify(execFile)(process.execPath, [...wasmCompilerFlags, program], { env })
}
