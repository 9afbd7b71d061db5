import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: more files at once only make browsers wait for each other.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One second, the default, is not much for a browser on a busy machine.
    expect: { poll: { timeout: 8000 } },
    reporters: ['default', './test/lab/count-reporter.ts'],
    globalSetup: ['./test/lab/global-setup.ts'],
  },
})
