/** Playwright Test fixtures that give every test a page of a remote session. @module */
export { expect } from '@playwright/test'
export { test } from './testing/fixtures.ts'
export type { BowlineTestOptions, TestFixtures, WorkerFixtures } from './testing/fixture-types.ts'
