import { defineConfig } from 'vitest/config'
import { wasmCompilerFlags } from './server/src/cli/limit-wasm-compiler.ts'
import { compileCache } from './test/lab/compile-cache.ts'
import { SlowFirst } from './test/lab/slow-first.ts'
import { temporaryRoot } from './test/lab/temporary-root.ts'

// For the workers, the programs they start, and the database they share.
process.env['TMPDIR'] ??= temporaryRoot()

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'server/test/**/*.test.ts'],
    // More than the cores of a small machine: many tests wait for a lifetime to be over.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    // Files share processes, and Node runs the sources as it runs them for users: a third of a run went into starting
    // processes and transforming the same modules again.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // As `bowline serve` has it: what a test starts lives too short for optimizing the embedded database.
    // Tests wait often. V8 would take each wait of 8 s for idleness and collect the garbage of the whole process.
    execArgv: [...wasmCompilerFlags, '--no-memory-reducer'],
    // Real browsers on a shared machine: there, what fails once and then passes is reported and does not stop a release.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // What the programs of tests have compiled is there for the next one.
    env: { NODE_COMPILE_CACHE: compileCache },
    // Shared machines can be five times slower than usual for minutes. Only failures take this long.
    testTimeout: 240_000,
    hookTimeout: 480_000,
    // One second, the default, is not much for a browser on a busy machine.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    reporters: ['default', './test/lab/count-reporter.ts'],
    setupFiles: ['./test/lab/real-clock.ts'],
    globalSetup: ['./test/lab/global-setup.ts'],
  },
})
