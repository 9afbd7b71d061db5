/** A reporter for Playwright Test that prints what the sessions of a run have cost. @module */
export { BillReporter as default } from './testing/bill-reporter.ts' // oxlint-disable-line import/no-default-export -- Playwright Test loads reporters so
