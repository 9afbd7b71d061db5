import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { executeLanguage, executeLimits, type ExecuteLanguage } from '../contract/execute.ts'
import { BowlineError } from '../kit/errors.ts'
import { messageOf } from '../kit/message-of.ts'
import { print, printJson, printNote } from '../terminal/print.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { numberFrom } from './whole-number.ts'

interface ExecuteFlags extends ConnectionFlags {
  readonly file?: string
  readonly language: ExecuteLanguage
  readonly timeout?: number
}

/** Creates the command `bowline sessions execute`. */
export function createSessionExecuteCommand(): Command {
  return withConnectionFlags(
    new Command('execute')
      .description('run code beside the browser of a session, and exit with its exit code')
      .argument('<id>', 'id of the session')
      .argument('[code]', 'code to run (default: from `--file`, or standard input)'),
  )
    .option('--file <path>', 'file with the code')
    .addOption(
      new Option('--language <language>', 'language of the code').choices(executeLanguage.options).default('node'),
    )
    .option(
      '--timeout <seconds>',
      'time after which the code is killed (default: 30)',
      numberFrom(1, executeLimits.maxTimeout, 'seconds'),
    )
    .action(executeInSession)
}

async function executeInSession(id: string, given: string | undefined, flags: ExecuteFlags): Promise<void> {
  const code = await readCode(given, flags)
  const bowline = await createClient(flags)
  const { language, timeout } = flags
  const result = await bowline.sessions.execute(id, code, { language, timeout })
  process.exitCode = result.killed && result.exitCode === 0 ? 1 : result.exitCode & 0xff
  if (flags.json === true) return printJson(result)
  const { stdout, stderr, error } = result
  const output = stdout === '' ? result.result : stdout
  if (output !== '') print(output.replace(/\n$/, ''))
  // The error contains stderr, if that has the reason.
  const written = stderr.trimEnd()
  const notes = error?.includes(written) === true ? error : [written, error ?? ''].join('\n').trim()
  if (notes !== '') printNote(notes)
}

async function readCode(given: string | undefined, { file }: ExecuteFlags): Promise<string> {
  if (given !== undefined && file !== undefined)
    throw new BowlineError('USAGE_INVALID', 'Give the code as an argument or with `--file`, not both')
  if (given !== undefined) return given
  if (file === undefined) return text(process.stdin)
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new BowlineError('USAGE_INVALID', `--file: ${messageOf(cause)}`, { cause })
  })
}
