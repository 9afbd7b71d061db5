import { Command } from 'commander'
import type { ExtractOptions } from '../contract/extract.ts'
import { readSchema } from './read-schema.ts'
import { readUrls } from './url-arguments.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { printJson, printNote } from '../terminal/print.ts'
import { withSpinner } from './spinner.ts'
import { numberFrom } from './whole-number.ts'

interface ExtractFlags extends ConnectionFlags {
  readonly prompt?: string
  readonly schema?: string
  readonly webSearch?: boolean
  readonly limit?: number
}

/** Creates the command `bowline extract`. */
export function createExtractCommand(): Command {
  return withConnectionFlags(new Command('extract'))
    .description(
      'Extract data from pages with the language model of the server and print it as JSON, or the whole response ' +
        'with --json. Warnings go to standard error.',
    )
    .argument('[url...]', 'URLs; a URL that ends in /* selects the pages below it; `-` reads standard input')
    .option('--prompt <words>', 'description of the data')
    .option('--schema <file>', 'file with a JSON Schema of the data')
    .option('--web-search', 'also read pages found by a search for the prompt')
    .option('--limit <count>', 'maximum number of pages (default: 20)', numberFrom(1, 100))
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
  const urls = await readUrls(given)
  const bowline = await createClient(flags)
  const found = await withSpinner('extracting', async () => bowline.extract(urls, options))
  for (const url of found.invalidUrls) printNote(`Skipped ${url}: not a valid URL`)
  if (found.warning !== undefined) printNote(found.warning)
  printJson(flags.json === true ? found : found.data)
}
