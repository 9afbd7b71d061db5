import { resolve } from 'node:path'
import { Command } from 'commander'
import { Bowline } from '../client/bowline.ts'
import { serveMcpStdio } from '../mcp.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { sessionOptionsOf, withSessionFlags, type SessionFlags } from './session-flags.ts'
import { numberFrom } from './whole-number.ts'

interface McpFlags extends ConnectionFlags, SessionFlags {
  readonly embedded?: boolean
  readonly readOnly?: boolean
  readonly maxTokens?: number
  readonly filesDir?: string
}

/** Creates the command `bowline mcp`. */
export function createMcpCommand(): Command {
  const command = withConnectionFlags(new Command('mcp'))
    .description(
      'Serve MCP on standard input and output: tools for a remote browser, scraping, maps and search. The first ' +
        'browser tool creates a session, which is deleted when the client disconnects. Needs the packages ' +
        '@modelcontextprotocol/server and playwright-core.',
    )
    .option('--embedded', 'start a server in this process instead of connecting to one (needs bowline-server)')
    .option('--read-only', 'offer only tools that read pages')
    .option('--max-tokens <n>', 'maximum size of a page snapshot in tokens (default: 2500)', numberFrom(100, 50_000))
    .option('--files-dir <path>', 'folder to upload files from and to save downloads to (default: none)')
  return withSessionFlags(command, { ttl: ' (default: 1800)', activityTtl: ' (default: 300)' }).action(mcp)
}

async function mcp(flags: McpFlags): Promise<void> {
  await using bowline = flags.embedded === true ? await Bowline.embedded() : await createClient(flags)
  const { readOnly, maxTokens, filesDir, allowDomain } = flags
  await serveMcpStdio(bowline, {
    readOnly,
    maxTokens,
    allowedDomains: allowDomain,
    filesDir: filesDir === undefined ? undefined : resolve(filesDir),
    session: sessionOptionsOf(flags),
  })
}
