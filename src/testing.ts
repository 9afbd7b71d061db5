/** Fixtures for Playwright Test: every test gets a page of a remote session. @module */
export { expect } from '@playwright/test'
export { test } from './testing/fixtures.ts'
export type { BowlineTestOptions, TestFixtures, WorkerFixtures } from './testing/fixture-names.ts'
