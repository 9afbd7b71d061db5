import { Command, Option } from 'commander'
import type { ParseInput } from '../contract/parse.ts'
import { scrapeLimits } from '../contract/scrape.ts'
import { createClient, withConnectionFlags } from './connection.ts'
import { printDocument, tagOptions, withTagFlags, type DocumentFlags } from './scrape.ts'
import { numberFrom } from './whole-number.ts'

const formats = ['markdown', 'html', 'rawHtml', 'links', 'images', 'json'] as const

type ParseFlags = Omit<DocumentFlags, 'waitFor' | 'ads' | 'format'> & {
  readonly format: (typeof formats)[number][]
  readonly ocr?: true
  readonly language?: string
}

/** Creates the command `bowline parse`. */
export function createParseCommand(): Command {
  const command = withConnectionFlags(
    new Command('parse')
      .description('Convert a file, such as a PDF or an office document, and print it.')
      .argument('<file>', 'path of the file, at most 50 MB'),
  )
    .addOption(new Option('--format <format...>', 'formats to print').choices([...formats]).default(['markdown']))
    .option('--whole-page', 'of an HTML file, include menus, sidebars and footers')
  return withTagFlags(command)
    .option('--ocr', 'of a PDF, read all pages by OCR, even if they have text')
    .option('--language <codes>', 'languages for OCR as codes of Tesseract, such as "eng+deu"')
    .option('--prompt <text>', 'description of the data for the format "json"')
    .option(
      '--timeout <ms>',
      'timeout of the conversion',
      numberFrom(scrapeLimits.minTimeout, scrapeLimits.maxTimeout, 'milliseconds'),
    )
    .action(parse)
}

async function parse(file: string, flags: ParseFlags): Promise<void> {
  const bowline = await createClient(flags)
  const document = await bowline.parse(file, {
    formats: flags.format.map((name) => (name === 'json' ? { type: 'json', prompt: flags.prompt } : name)),
    onlyMainContent: flags.wholePage !== true,
    ...tagOptions(flags),
    parsers: parsersOf(flags),
    timeout: flags.timeout,
  })
  printDocument(document, flags)
}

function parsersOf({ ocr, language }: ParseFlags): ParseInput['parsers'] {
  if (ocr === undefined && language === undefined) return undefined
  return [
    { type: 'pdf', mode: ocr === true ? 'ocr' : 'auto', language },
    { type: 'image', language },
  ]
}
