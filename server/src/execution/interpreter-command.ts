import { access, constants } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { executeLimits, type ExecuteLanguage } from 'bowline/contract/execute'
import { BowlineError } from 'bowline/kit/errors'
import type { CommandLine } from '../browsers/command-line.ts'
import { bashProgram } from './programs/bash-program.ts'
import { pythonProgram } from './programs/python-program.ts'

/** Megabytes of JavaScript objects of a Node.js interpreter. */
const heapMb = 384

const programs = { python: 'python3', bash: 'bash' } as const

/** Options of `interpreterCommand`. Paths are as the interpreter sees them. */
export interface InterpreterCommandOptions {
  readonly nodePath: string
  readonly nodeProgram: string
  /** Folders in which Python and bash may be. */
  readonly programFolders: readonly string[]
  readonly cdpUrl: string
  /** Folder of playwright-core. Default: none. */
  readonly playwrightPath: string | undefined
}

/**
 * Returns the command line of an interpreter. Throws EXECUTION_UNAVAILABLE if it is not installed.
 */
export async function interpreterCommand(
  language: ExecuteLanguage,
  { nodePath, nodeProgram, programFolders: folders, cdpUrl, playwrightPath }: InterpreterCommandOptions,
): Promise<CommandLine> {
  const settings = JSON.stringify({ cdpUrl, playwrightPath, maxResultLength: executeLimits.outputBytes })
  if (language === 'node') {
    const flags = [`--max-old-space-size=${heapMb}`, '--disable-warning=ExperimentalWarning']
    return { file: nodePath, args: [...flags, nodeProgram, settings] }
  }
  const file = await findProgram(programs[language], folders)
  if (file === undefined) {
    const name = language === 'python' ? 'Python 3' : 'bash'
    throw new BowlineError('EXECUTION_UNAVAILABLE', `${name} is not installed on this server`, {
      hint: `The operator of the server can install it: ${programs[language]} was not found in ${folders.join(', ')}.`,
    })
  }
  // -u: a process in the background may write while the code waits.
  return language === 'python'
    ? { file, args: ['-u', '-c', pythonProgram, settings] }
    : { file, args: ['--noprofile', '--norc', '-c', bashProgram] }
}

/** Finds the folder of the package playwright-core. Undefined if it is not installed. */
export function findPlaywright(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'))
  } catch {
    // An optional package.
    return undefined
  }
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    try {
      await access(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
