/** The parts that read and write rows and blobs, and that nearly all others import. */
const rows = ['server/store', 'server/blobs', 'server/nodes', 'server/teams'] as const

/** The parts that each part may import in addition to itself, `kit` and `contract`. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  contract: [],
  terminal: [],
  client: [],
  drivers: ['client'],
  seeds: ['client'],
  testing: ['client', 'drivers'],
  mcp: ['client', 'drivers', 'entry/version'],
  'server/kit': [],
  'server/config': [],
  'server/identity': [],
  'server/version': [],
  'server/cdp': [],
  'server/egress': [],
  'server/store': [],
  'server/blobs': [],
  'server/nodes': ['server/store'],
  'server/teams': ['server/store'],
  'server/audit': [...rows],
  'server/queue': [...rows],
  'server/webhooks': ['server/queue', ...rows],
  'server/billing': [...rows],
  'server/usage': ['server/billing', ...rows],
  'server/profiles': [...rows],
  'server/extensions': [...rows],
  'server/backup': ['server/identity', 'server/version', 'server/profiles', 'server/queue', ...rows],
  'server/browsers': ['server/cdp'],
  'server/secrets': ['server/cdp', ...rows],
  'server/artifacts': [...rows],
  'server/files': ['server/artifacts', 'server/browsers', 'server/cdp', ...rows],
  'server/recordings': ['server/artifacts', 'server/browsers', 'server/cdp', ...rows],
  'server/handoff': ['server/cdp'],
  'server/execution': ['server/browsers'],
  'server/live': ['server/handoff', 'server/browsers', 'server/cdp', ...rows],
  'server/sessions': [
    'server/execution',
    'server/files',
    'server/recordings',
    'server/handoff',
    'server/live',
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/extensions',
    'server/secrets',
    'server/billing',
    'server/webhooks',
    ...rows,
  ],
  'server/cluster': ['server/sessions', 'server/profiles', 'server/billing', ...rows],
  'server/compat': [],
  'server/scrape': [
    'server/sessions',
    'server/browsers',
    'server/cdp',
    'server/egress',
    'server/profiles',
    'server/billing',
    ...rows,
  ],
  'server/gateway': ['server/sessions', 'server/secrets', 'server/handoff', 'server/browsers', 'server/cdp', ...rows],
  'server/jobs': [
    'server/webhooks',
    'server/scrape',
    'server/map',
    'server/egress',
    'server/queue',
    'server/billing',
    ...rows,
  ],
  'server/map': ['server/egress', 'server/billing', ...rows],
  'server/search': ['server/scrape', 'server/map', 'server/billing', ...rows],
  'server/monitors': [
    'server/search',
    'server/webhooks',
    'server/map',
    'server/scrape',
    'server/queue',
    'server/egress',
    'server/billing',
    ...rows,
  ],
  'server/extract': [
    'server/search',
    'server/scrape',
    'server/map',
    'server/queue',
    'server/webhooks',
    'server/billing',
    ...rows,
  ],
  'server/mcp': ['entry/mcp'],
  'server/agent': [
    'entry/mcp',
    'server/mcp',
    'server/search',
    'server/scrape',
    'server/queue',
    'server/webhooks',
    'server/gateway',
    'server/execution',
    'server/sessions',
    'server/cdp',
    'server/billing',
    ...rows,
  ],
  'server/http': [
    'entry/mcp',
    'server/mcp',
    'server/agent',
    'server/extract',
    'server/search',
    'server/monitors',
    'server/compat',
    'server/jobs',
    'server/scrape',
    'server/map',
    'server/webhooks',
    'server/cluster',
    'server/handoff',
    'server/live',
    'server/artifacts',
    'server/files',
    'server/recordings',
    'server/gateway',
    'server/sessions',
    'server/execution',
    'server/browsers',
    'server/usage',
    'server/audit',
    'server/billing',
    'server/queue',
    'server/extensions',
    'server/secrets',
    'server/profiles',
    ...rows,
  ],
  'server/retention': ['server/sessions', 'server/scrape', 'server/billing', ...rows],
  'server/app': ['server/'],
  'server/cli': ['server/', 'terminal'],
  'server/commands': ['server/cli'],
  dashboard: [],
  cli: [
    'client',
    'drivers',
    'terminal',
    'entry/index',
    'entry/playwright',
    'entry/puppeteer',
    'entry/mcp',
    'entry/version',
  ],
  'entry/index': ['client', 'seeds'],
  'entry/playwright': ['drivers'],
  'entry/puppeteer': ['drivers'],
  'entry/mcp': ['mcp'],
  'entry/testing': ['testing'],
  'entry/testing-reporter': ['testing'],
  'entry/testing-vitest': ['testing'],
  'entry/server': ['server/app', 'server/config'],
  'entry/contract': [],
  'entry/version': [],
}

/** Returns the part that a source file belongs to: its folder, or the name of an entry. */
export function partOf(path: string): string {
  if (path.startsWith('server/dashboard/')) return 'dashboard'
  if (path === 'server/src/index.ts') return 'entry/server'
  const server = /^server\/src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path)?.[1]
  if (server !== undefined) return `server/${server}`
  const [first = ''] = path.replace(/^src\//, '').split('/')
  return first.endsWith('.ts') ? `entry/${first.slice(0, -3)}` : first
}

/** Whether the table has an entry for a part. */
export function isListedPart(part: string): boolean {
  return allowedImports[part] !== undefined
}

/** Whether files of one part may import files of another. */
export function mayImport(from: string, to: string): boolean {
  if (from === to || to === 'kit') return true
  if (to === 'server/kit') return from.startsWith('server/')
  if (to === 'contract') return from !== 'kit'
  return (allowedImports[from] ?? []).some((allowed) =>
    allowed.endsWith('/') ? to.startsWith(allowed) : to === allowed,
  )
}
