import { z } from 'zod'
import { parseDomainPattern } from 'bowline/kit/domain-pattern'
import { list, wholeNumber, type Setting } from './setting.ts'

/** Settings of the MCP endpoint `/mcp`. */
export const mcpSettings = {
  mcpTools: {
    flag: 'mcp-tools',
    env: 'BOWLINE_MCP_TOOLS',
    help: 'tools of `/mcp`: all, or only those that read pages',
    accepts: '"all" or "read"',
    schema: z.enum(['all', 'read']).default('all'),
  },
  mcpDomains: {
    flag: 'mcp-domains',
    env: 'BOWLINE_MCP_DOMAINS',
    help: 'comma-separated hosts that the sessions and scrapes of `/mcp` may connect to; default: all',
    accepts: 'host names or IP addresses, or `*.` and a name, separated by commas',
    schema: list
      .pipe(z.array(z.string().refine((text) => parseDomainPattern(text) !== undefined)).max(200))
      .default([]),
  },
  maxMcpTeams: {
    flag: 'max-mcp-teams',
    env: 'BOWLINE_MAX_MCP_TEAMS',
    help: 'maximum number of teams that use `/mcp` and agents at once; each has a process with a heap of up to 1 GB',
    accepts: 'an integer from 1 to 1000',
    schema: wholeNumber(1, 1000).default(16),
  },
} as const satisfies Record<string, Setting>
