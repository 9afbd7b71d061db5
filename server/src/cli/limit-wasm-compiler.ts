import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 compile WebAssembly with its baseline compiler only, on one thread. The embedded
 * database is the only WebAssembly of a server. By default V8 optimizes one large function of it
 * soon after the start, which takes 600 MB and half a second of CPU time, and compiles on many
 * threads, each of which keeps its memory. The database statements of a session take the same time
 * either way.
 */
export function limitWasmCompiler(): void {
  for (const flag of wasmCompilerFlags) setFlagsFromString(flag)
}

/** The same settings as flags of the `node` command line. */
export const wasmCompilerFlags: readonly string[] = [
  '--wasm-num-compilation-tasks=1',
  '--liftoff-only',
  // Implied by the flag above on the command line, but not by `setFlagsFromString`.
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
]
