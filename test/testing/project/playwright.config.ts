import { defineConfig } from '@playwright/test'
import type { BowlineTestOptions } from 'bowline/testing'

const outputDir = process.env['PROJECT_OUTPUT'] ?? 'test-results'

export default defineConfig<object, BowlineTestOptions>({
  testDir: 'tests',
  outputDir,
  retries: 2,
  timeout: 60_000,
  reporter: [['json'], ['bowline/testing/reporter'], ['blob', { outputDir: `${outputDir}-blob` }]],
  use: { baseURL: process.env['PROJECT_SITE'] ?? '' },
  projects: [
    {
      name: 'shared',
      testMatch: 'shared.spec.ts',
      use: { profile: 'signed-in', sessionOptions: { ttl: 600, record: { console: true } } },
    },
    {
      name: 'own',
      testMatch: 'own.spec.ts',
      use: { sessionPer: 'test', sessionOptions: { ttl: 60, record: { console: true } } },
    },
  ],
})
