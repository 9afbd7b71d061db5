import { runProgram, type Program } from 'bowline/terminal/run-program'
import { packageVersion } from '../version.ts'

/** The commands of `bowline-server`. `bowline` has them too, where this package is installed. */
export const serverProgram: Program = {
  name: 'bowline-server',
  description: 'Runs a Bowline server. Without a command, `serve` runs.',
  version: packageVersion,
  commands: {
    serve: {
      summary: 'run the server',
      load: async () => (await import('./serve-command.ts')).createServeCommand(),
    },
    doctor: {
      summary: 'show what this machine has and lacks',
      load: async () => (await import('./doctor.ts')).createDoctorCommand(),
    },
  },
}

const programFlags: ReadonlySet<string | undefined> = new Set(['help', '--help', '-h', '--version', '-V'])

/** Runs one command line of `bowline-server`, and sets the exit code. */
export async function runServerCli(args: readonly string[]): Promise<void> {
  const [first] = args
  const isServe = first === undefined || (first.startsWith('-') && !programFlags.has(first))
  await runProgram(serverProgram, isServe ? ['serve', ...args] : args)
}
