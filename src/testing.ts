/**
 * Playwright Test fixtures that give every test a page of a remote session. Also exports everything
 * of `@playwright/test`. @module
 */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export * from '@playwright/test'
export { test } from './testing/fixtures.ts'
export { test as default } from './testing/fixtures.ts' // oxlint-disable-line import/no-default-export -- as in @playwright/test
export type { BowlineTestOptions, TestFixtures, WorkerFixtures } from './testing/fixture-types.ts'
