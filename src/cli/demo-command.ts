import { Command } from 'commander'
import { demo } from './demo.ts'

interface DemoFlags {
  readonly browser?: string
  readonly json?: boolean
}

/** Creates the command `bowline demo`. */
export function createDemoCommand(): Command {
  return new Command('demo')
    .argument('[url]', 'page to drive (default: the bundled site)')
    .option('--browser <which>', 'shell, chromium, or the path of a browser')
    .option('--json', 'print JSON')
    .action(async (url: string | undefined, flags: DemoFlags) => {
      process.exitCode = await demo({ url, ...flags })
    })
}
