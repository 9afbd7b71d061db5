import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Files that take much longer than their size suggests, and the longest of all.
const slow = [
  'server/test/dashboard/dashboard.test.ts',
  'test/torture/torture.test.ts',
  'test/packages.test.ts',
  'server/test/gateway/resume.test.ts',
  'test/drivers/resume.test.ts',
  'test/examples.test.ts',
  'server/test/live/picture.test.ts',
  'server/test/sessions/profile-persistence.test.ts',
  'server/test/live/interaction.test.ts',
  'server/test/sessions/profile-faults.test.ts',
  'server/test/sessions/restart.test.ts',
  'server/test/browsers/launch.test.ts',
  'server/test/isolation/commands.test.ts',
  'server/test/isolation/network.test.ts',
  'server/test/browsers/kill.test.ts',
  'test/client/embedded.test.ts',
  'test/drivers/big-files.test.ts',
  'server/test/sessions/lifetime.test.ts',
  'test/faults/churn.test.ts',
  'server/test/store/template.test.ts',
  'test/testing/testing.test.ts',
  'server/test/store/durability.test.ts',
  'server/test/app/kill.test.ts',
  'server/test/scrape/strict.test.ts',
  'server/test/store/lock.test.ts',
  'server/test/store/settings.test.ts',
  'test/simulation/simulation.test.ts',
  'test/doc-examples.test.ts',
  'test/docs.test.ts',
  'test/reference.test.ts',
]

/** Runs slow test files first, so that no worker runs one alone at the end. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => slow.some((name) => moduleId.endsWith(`/${name}`))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
