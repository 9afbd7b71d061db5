import { runProgram, type Program } from 'bowline/terminal/run-program'
import { packageVersion } from '../version.ts'

/** Commands of `bowline-server`. If this package is installed, `bowline` also has them. */
export const serverProgram: Program = {
  name: 'bowline-server',
  description: 'Run a Bowline server. The default command is `serve`.',
  version: packageVersion,
  commands: {
    serve: {
      summary: 'run the server',
      load: async () => (await import('./serve-command.ts')).createServeCommand(),
    },
    doctor: {
      summary: 'check the browsers, isolation, data directory and database of this machine',
      load: async () => (await import('./doctor.ts')).createDoctorCommand(),
    },
    backup: {
      summary: 'back up the database, blobs and keys of a server, running or not',
      load: async () => (await import('./backup-command.ts')).createBackupCommand(),
    },
    restore: {
      summary: 'restore a stopped server from a backup',
      load: async () => (await import('./restore-command.ts')).createRestoreCommand(),
    },
    move: {
      summary: 'copy the embedded database of a stopped server to PostgreSQL',
      load: async () => (await import('./move-command.ts')).createMoveCommand(),
    },
  },
}

const programFlags: ReadonlySet<string | undefined> = new Set(['help', '--help', '-h', '--version', '-V'])

/** Runs a command line of `bowline-server` and sets the exit code of the process. */
export async function runServerCli(args: readonly string[]): Promise<void> {
  const [first] = args
  const isServe = first === undefined || (first.startsWith('-') && !programFlags.has(first))
  await runProgram(serverProgram, isServe ? ['serve', ...args] : args)
}
