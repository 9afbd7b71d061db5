import { Command } from 'commander'
import { settingNames, settings } from '../config.ts'
import type { ServeFlags } from './serve.ts'
import { keepHeapsSmall } from './small-heaps.ts'

/** Makes `bowline serve`; its options are the settings of the server. */
export function createServeCommand(): Command {
  const command = new Command('serve').description(
    'Runs the server until SIGINT, SIGTERM or SIGHUP, then ends every session and bills it. A flag wins over its variable.',
  )
  for (const name of settingNames) {
    const { flag, env, help, accepts, schema } = settings[name]
    const standard = describeDefault(schema.safeParse(undefined).data)
    const suffix = standard === '' ? '' : `; default ${standard}`
    command.option(`--${flag} <value>`, `${help} (${env}; takes ${accepts}${suffix})`)
  }
  return command
    .option('--json', 'print one line of JSON once the server answers')
    .action(async (flags: ServeFlags) => {
      // Before the server's code, the loading of which would let the heap grow for good.
      keepHeapsSmall()
      const { serve } = await import('./serve.ts')
      process.exitCode = await serve(flags)
    })
}

function describeDefault(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  // The one setting that is read into an object holds limits, of which there are none.
  if (typeof value === 'object') return 'off'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
