import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 compile WebAssembly quickly and only once, for the whole process: the embedded database is the only WebAssembly
 * of a server. Left alone V8 optimizes one huge function of it soon after the start, which takes 600 MB and half a second of
 * a core, and compiles on many threads, each of which keeps memory for good. Statements of a session take the same time.
 */
export function keepCompilerSmall(): void {
  for (const flag of smallCompilerFlags) setFlagsFromString(flag)
}

/** The same for a command line of Node. */
export const smallCompilerFlags: readonly string[] = [
  '--wasm-num-compilation-tasks=1',
  '--liftoff-only',
  // What the flag above would imply on the command line.
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
]
