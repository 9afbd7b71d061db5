import { parseArgs, type ParseArgsConfig } from 'node:util'
import { messageOf } from '../../src/kit/message-of.ts'

/**
 * Parses the command line of a program of the repository. Ends it with its usage for `--help`, and
 * with the exit code 2 for options that it does not have.
 */
export function readArgs<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${messageOf(error)}\n${usage}`)
    return process.exit(2)
  }
}
