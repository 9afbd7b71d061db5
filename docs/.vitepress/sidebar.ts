/** A page of the site: its title in menus, and its path below `docs/` without `.md`. */
export interface SidebarPage {
  readonly text: string
  readonly link: string
}

/** A heading of the sidebar with its pages. */
export interface SidebarSection {
  readonly text: string
  readonly items: readonly SidebarPage[]
}

/** All pages of the site, in the order of a user's day. The source of the sidebar and of llms.txt. */
export const sidebar: readonly SidebarSection[] = [
  {
    text: 'Drive browsers',
    items: [
      { text: 'Get started', link: '/guide/start' },
      { text: 'Sessions', link: '/guide/sessions' },
      { text: 'Lifetimes and bills', link: '/guide/lifetimes' },
      { text: 'Domains, proxies and headers', link: '/guide/network' },
      { text: 'Device, flags and extensions', link: '/guide/browser' },
      { text: 'Files', link: '/guide/files' },
      { text: 'Profiles and secrets', link: '/guide/profiles' },
      { text: 'Live view and hand-off', link: '/guide/live-view' },
      { text: 'Recordings', link: '/guide/recordings' },
      { text: 'Code beside the browser', link: '/guide/execute' },
      { text: 'Pools', link: '/guide/pools' },
    ],
  },
  {
    text: 'Find and fetch pages',
    items: [
      { text: 'Scrape', link: '/guide/scrape' },
      { text: 'Batches and crawls', link: '/guide/jobs' },
      { text: 'Map, search and seeds', link: '/guide/search' },
      { text: 'Extract and agents', link: '/guide/extract' },
      { text: 'Monitors', link: '/guide/monitors' },
    ],
  },
  {
    text: 'Tools',
    items: [
      { text: 'Playwright Test and Vitest', link: '/guide/testing' },
      { text: 'Agents and MCP', link: '/mcp' },
      { text: 'Any language', link: '/guide/any-language' },
      { text: 'Clients', link: '/clients' },
      { text: 'Dashboard', link: '/guide/dashboard' },
      { text: 'Command line', link: '/guide/command-line' },
      { text: 'Usage and credits', link: '/guide/usage' },
    ],
  },
  {
    text: 'Run a server',
    items: [
      { text: 'Install a server', link: '/running/install' },
      { text: 'Containers and Kubernetes', link: '/running/deploy' },
      { text: 'Configuration', link: '/running/configuration' },
      { text: 'Isolation and egress', link: '/running/isolation' },
      { text: 'Storage and crashes', link: '/running/storage' },
      { text: 'Backups', link: '/running/backup' },
      { text: 'Upgrades', link: '/running/upgrade' },
      { text: 'Several servers', link: '/running/several-servers' },
      { text: 'Keys and access', link: '/running/security' },
      { text: 'HTTPS and reverse proxies', link: '/running/https' },
      { text: 'Audit log and request ids', link: '/running/audit' },
      { text: 'Health checks and metrics', link: '/running/monitoring' },
    ],
  },
  {
    text: 'Reference',
    items: [
      { text: 'Package', link: '/reference/client' },
      { text: 'HTTP API', link: '/reference/http' },
      { text: 'Commands', link: '/reference/command-line' },
      { text: 'Settings', link: '/reference/settings' },
      { text: 'Metrics', link: '/reference/metrics' },
      { text: 'Errors', link: '/reference/errors' },
    ],
  },
  {
    text: 'Background',
    items: [
      { text: 'Architecture and five flows', link: '/flows' },
      { text: 'Fault report', link: '/faults' },
      { text: 'Glossary', link: '/glossary' },
      { text: 'Comparison', link: '/comparison' },
      { text: 'Benchmarks', link: '/benchmarks' },
      { text: 'Changelog', link: '/changelog' },
    ],
  },
]
