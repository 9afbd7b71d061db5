/** Vitest fixtures that give every test a page of a remote session. @module */
export { withSession, type VitestFixtures, type VitestOptions } from './testing/vitest-fixtures.ts'
