import { Command } from 'commander'
import { addExamples } from 'bowline/terminal/add-examples'
import { settingNames, settings } from '../config.ts'
import type { ServeFlags } from './serve.ts'
import { limitHeapGrowth } from '../kit/limit-heap-growth.ts'

const examples = [
  'bowline serve',
  'bowline serve --host 0.0.0.0 --public-url https://browsers.example.com --isolation strict',
  'bowline serve --database-url postgres://bowline@db/bowline --blobs s3://bowline-files',
]

/** Creates the command `bowline serve`. Its options are the settings of the server. */
export function createServeCommand(): Command {
  const command = new Command('serve').description(
    'Run the server until SIGINT, SIGTERM or SIGHUP, then end and bill every session. Flags take precedence over environment variables.',
  )
  for (const name of settingNames) {
    const { flag, env, help, accepts, schema } = settings[name]
    const defaultText = describeDefault(schema.safeParse(undefined).data)
    const suffix = defaultText === '' ? '' : `; default: ${defaultText}`
    command.option(`--${flag} <value>`, `${help} (${env}; takes ${accepts}${suffix})`)
  }
  return addExamples(command, examples)
    .option('--json', 'print one line of JSON once the server is ready')
    .action(async (flags: ServeFlags) => {
      // Must run before the code of the server is loaded, which would grow the heap permanently.
      limitHeapGrowth()
      const { serve } = await import('./serve.ts')
      process.exitCode = await serve(flags)
    })
}

function describeDefault(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  // The only setting parsed to an object is the rate limits, which are off by default.
  if (typeof value === 'object') return 'off'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
