import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { ExtractOptions } from '../contract/extract.ts'
import { BowlineError } from '../kit/errors.ts'
import { readAddresses } from './addresses.ts'
import { connect, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { printJson, printNote } from '../terminal/print.ts'
import { withSpinner } from './spinner.ts'
import { numberFrom } from './whole-number.ts'
import { isError } from '../kit/is-error.ts'

interface ExtractFlags extends ConnectionFlags {
  readonly prompt?: string
  readonly schema?: string
  readonly webSearch?: boolean
  readonly limit?: number
}

/** Makes `bowline extract`. */
export function createExtractCommand(): Command {
  return withConnectionFlags(new Command('extract'))
    .description(
      'Has the language model of the server extract data from pages, and prints them as JSON; with --json the whole ' +
        'answer. Notes go to standard error.',
    )
    .argument('[url...]', 'addresses; one that ends in /* stands for the pages under it; `-`: standard input')
    .option('--prompt <words>', 'what to look for')
    .option('--schema <file>', 'shape of the data: a file with a JSON Schema')
    .option('--web-search', 'read pages found by a search for the prompt, too')
    .option('--limit <count>', 'most pages that are read (default: 20)', numberFrom(1, 100))
    .action(extract)
}

async function extract(given: readonly string[], flags: ExtractFlags): Promise<void> {
  const { prompt, schema, webSearch, limit } = flags
  const options: ExtractOptions = {
    showSources: true,
    ...(prompt === undefined ? {} : { prompt }),
    ...(schema === undefined ? {} : { schema: await readSchema(schema) }),
    ...(webSearch === undefined ? {} : { enableWebSearch: webSearch }),
    ...(limit === undefined ? {} : { limit }),
  }
  const urls = await readAddresses(given)
  const bowline = await connect(flags)
  const found = await withSpinner('extracting', async () => bowline.extract(urls, options))
  for (const url of found.invalidUrls) printNote(`${url} is no address, and was left out`)
  if (found.warning !== undefined) printNote(found.warning)
  printJson(flags.json === true ? found : found.data)
}

async function readSchema(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  } catch (cause) {
    const why = isError(cause) ? cause.message : String(cause)
    throw new BowlineError('CONFIG_INVALID', `${file} cannot be read as a JSON Schema: ${why}`, {
      hint: 'Name a file that holds one JSON object.',
      cause,
    })
  }
}
