import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Files that take much longer than their size tells: each waits for lifetimes, starts programs, or imports its specs.
const slow = [
  'test/dashboard/dashboard.test.ts',
  'test/examples.test.ts',
  'test/server/live/picture.test.ts',
  'test/server/sessions/profile-persistence.test.ts',
  'test/server/live/acting.test.ts',
  'test/server/sessions/profile-faults.test.ts',
  'test/server/sessions/restart.test.ts',
  'test/server/browsers/launch.test.ts',
  'test/server/isolation/commands.test.ts',
  'test/server/isolation/network.test.ts',
  'test/server/browsers/kill.test.ts',
  'test/client/embedded.test.ts',
  'test/drivers/big-files.test.ts',
  'test/server/sessions/lifetime.test.ts',
  'test/faults/churn.test.ts',
  'test/server/store/template.test.ts',
  'test/testing/testing.test.ts',
  'test/server/store/durability.test.ts',
  'test/server/bulk/kill.test.ts',
  'test/server/profiles/kill.test.ts',
]

/** Starts slow files first, so that no worker is left with one at the end. A run that was timed before knows by itself. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => slow.some((name) => moduleId.endsWith(`/${name}`))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
