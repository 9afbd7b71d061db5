import { defineConfig, devices, type BowlineTestOptions } from 'bowline/testing'

const sessionOptions = { ttl: 120, record: { console: true, keep: 'on-failure' } } as const

export default defineConfig<object, BowlineTestOptions>({
  testDir: 'tests',
  outputDir: process.env['PROJECT_OUTPUT'] ?? 'test-results',
  timeout: 60_000,
  globalSetup: process.env['PROJECT_SETUP'] ?? [],
  reporter: [['json'], ['bowline/testing/reporter']],
  use: { baseURL: process.env['PROJECT_SITE'] ?? '' },
  projects: [
    { name: 'imports', testMatch: 'imports.spec.ts', use: devices['Desktop Chrome'] },
    { name: 'session per worker', testMatch: 'serial.spec.ts', use: { sessionOptions } },
    { name: 'session per test', testMatch: 'serial.spec.ts', use: { sessionOptions, sessionPer: 'test' } },
    { name: 'serial group', testMatch: 'group.spec.ts', use: { sessionOptions } },
    { name: 'serial group with retries', testMatch: 'group.spec.ts', retries: 1, use: { sessionOptions } },
    { name: 'crashed page', testMatch: 'crash.spec.ts', retries: 1, use: { sessionOptions } },
    {
      name: 'ignored options',
      testMatch: 'ignored.spec.ts',
      use: { ...devices['Desktop Firefox'], video: 'on', testRetries: 2 },
    },
  ],
})
