import { describeCommands } from './commands.ts'
import { describeErrors } from './errors.ts'
import { readFieldComments } from './field-comments.ts'
import { describeHttp } from './http.ts'
import { describeSite } from './llms.ts'
import { makeManual } from './man.ts'
import { describeMetrics } from './metrics.ts'
import { describePackage } from './package.ts'
import { describeSettings } from './settings.ts'
import { makeSkill } from './skill.ts'

/** Generates all pages of the reference, llms.txt, SKILL.md and the manual page, by their paths. */
export async function makeReference(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/reference/client.md': await describePackage(),
    'docs/reference/http.md': describeHttp(),
    'docs/reference/command-line.md': await describeCommands(),
    'docs/reference/errors.md': describeErrors(),
    'docs/reference/settings.md': describeSettings(),
    'docs/reference/metrics.md': describeMetrics(),
    'server/src/http/field-descriptions.json': `${JSON.stringify(readFieldComments(), undefined, 2)}\n`,
    'llms.txt': describeSite(),
    'SKILL.md': await makeSkill(),
    'man/bowline.1': await makeManual(),
  }
}
