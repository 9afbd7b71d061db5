import { defineConfig, devices, type BowlineTestOptions } from 'bowline/testing'

export default defineConfig<object, BowlineTestOptions>({
  testDir: 'tests',
  outputDir: process.env['PROJECT_OUTPUT'] ?? 'test-results',
  timeout: 20_000,
  reporter: [['json'], ['bowline/testing/reporter']],
  use: { baseURL: process.env['PROJECT_SITE'] ?? '' },
  projects: [{ name: 'imports', testMatch: 'imports.spec.ts', use: devices['Desktop Chrome'] }],
})
