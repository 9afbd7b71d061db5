/** Fixtures for Vitest: every test gets a page of a remote session. @module */
export { withSession, type VitestFixtures, type VitestOptions } from './testing/vitest-fixtures.ts'
