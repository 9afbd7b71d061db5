import { describeCommands } from './commands.ts'
import { describeErrors } from './errors.ts'
import { describeHttp } from './http.ts'
import { describePackage } from './package.ts'

/** Generates all pages of the reference as Markdown, by file name. */
export async function makeReference(): Promise<Readonly<Record<string, string>>> {
  return {
    'client.md': await describePackage(),
    'http.md': describeHttp(),
    'command-line.md': await describeCommands(),
    'errors.md': describeErrors(),
  }
}
