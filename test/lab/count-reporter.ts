import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/**
 * Prints the counts of passed, failed and skipped tests as the last line. Errors outside of tests
 * count as failed.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      let failedHere = 0
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') counts.passed += 1
        else if (state === 'skipped') counts.skipped += 1
        else failedHere += 1
      }
      // A file or a suite can fail outside of its tests, such as in an import or a hook.
      const suitesFailed = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length
      counts.failed += failedHere + module.errors().length + suitesFailed
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    // Other reporters print their summary in the same event; the line must come after it.
    process.on('exit', () => process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${skipped}\n`))
  }
}
