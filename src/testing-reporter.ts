/** A Playwright Test reporter that prints the cost of the sessions of a run. @module */
import './kit/require-node.ts'
export { BillReporter as default } from './testing/bill-reporter.ts' // oxlint-disable-line import/no-default-export -- Playwright Test loads the default export
