/** Vitest fixtures that give every test a page of a remote session. @module */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export { withSession, type VitestFixtures, type VitestOptions } from './testing/vitest-fixtures.ts'
