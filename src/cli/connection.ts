import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { Bowline } from '../client/bowline.ts'
import { readEnvironment, type BowlineOptions } from '../client/config.ts'
import { BowlineError } from '../kit/errors.ts'
import { isError } from '../kit/is-error.ts'

/** Flags shared by all commands that connect to a server. */
export interface ConnectionFlags {
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly dataDir?: string
  /** Prints results as JSON. */
  readonly json?: boolean
}

/** Adds the flags shared by all commands that connect to a server. */
export function withConnectionFlags(command: Command): Command {
  return command
    .option('--base-url <url>', 'URL of the server (BOWLINE_BASE_URL; default: the server running on this machine)')
    .option('--api-key <key>', 'API key (BOWLINE_API_KEY; default: the key of that server)')
    .option('--data-dir <path>', 'data directory of the server on this machine (BOWLINE_DATA_DIR; default: ~/.bowline)')
    .option('--json', 'print JSON')
}

/**
 * Creates the client of a command from its flags, the environment, or the server that runs on this
 * machine. Throws CONFIG_INVALID if none of them has a base URL.
 */
export async function createClient(flags: ConnectionFlags, options: BowlineOptions = {}): Promise<Bowline> {
  const environment = readEnvironment()
  const dataDir = resolve(flags.dataDir ?? environment.dataDir ?? join(homedir(), '.bowline'))
  const given = flags.baseUrl ?? environment.baseUrl
  const local = await readLocalServer(dataDir)
  const baseUrl = given ?? local?.url
  if (baseUrl === undefined) {
    throw new BowlineError(
      'CONFIG_INVALID',
      `No base URL is set, and no server is running with the data directory ${dataDir}`,
      {
        hint: 'Start `bowline serve`, or set BOWLINE_BASE_URL or --base-url.',
      },
    )
  }
  // The key of the local server must not be sent to another server.
  const isLocal = local !== undefined && URL.parse(baseUrl)?.origin === URL.parse(local.url)?.origin
  const apiKey = flags.apiKey ?? environment.apiKey ?? (isLocal ? await readLocalKey(dataDir) : undefined)
  return new Bowline({ ...options, baseUrl, apiKey })
}

const serverFile = z.object({ url: z.string(), pid: z.int() })

async function readLocalServer(dataDir: string): Promise<z.output<typeof serverFile> | undefined> {
  try {
    const server = serverFile.parse(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')))
    return isRunning(server.pid) ? server : undefined
  } catch {
    // No server has written the file, or it is incomplete.
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isError(error) && 'code' in error && error.code === 'EPERM'
  }
}

async function readLocalKey(dataDir: string): Promise<string | undefined> {
  return readFile(join(dataDir, 'api-key'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}
