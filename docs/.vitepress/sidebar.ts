/** A page of the site: its title in menus, and its path below `docs/` without `.md`. */
export interface SidebarPage {
  readonly text: string
  readonly link: string
  /** Its contents, for llms.txt and search engines. Default: the first sentence of the page. */
  readonly about?: string
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
      {
        text: 'Sessions',
        link: '/guide/sessions',
        about:
          'Remote browser processes, driven by your code over CDP: time limits, clients, labels, changes, webhooks',
      },
      {
        text: 'Lifetimes and bills',
        link: '/guide/lifetimes',
        about: 'How sessions end and are billed when programs return, throw, crash or are killed',
      },
      {
        text: 'Domains, proxies and headers',
        link: '/guide/network',
        about: 'Restrict a session to hosts, connect through your own proxy, and send headers to one site only',
      },
      {
        text: 'Device, flags and extensions',
        link: '/guide/browser',
        about:
          'Emulate the screen, language and location of a device, and start Chromium with flags, a window or extensions',
      },
      {
        text: 'Files',
        link: '/guide/files',
        about: 'Downloads and uploads of remote browsers, with paths of your machine',
      },
      {
        text: 'Profiles and secrets',
        link: '/guide/profiles',
        about: 'Keep a login from one session to the next, and type passwords that your code never sees',
      },
      {
        text: 'Live view and hand-off',
        link: '/guide/live-view',
        about: 'Watch a session in any browser, take it over, or let a program wait until a human has signed in',
      },
      {
        text: 'Recordings',
        link: '/guide/recordings',
        about: 'The network, console and video of a session, in a page that plays them together',
      },
      {
        text: 'Code beside the browser',
        link: '/guide/execute',
        about: 'Run Node.js, Python or bash code on the server, next to the browser of a session',
      },
      {
        text: 'Pools',
        link: '/guide/pools',
        about: 'Run a function over many items on a few sessions, within a budget, and resume after a crash',
      },
    ],
  },
  {
    text: 'Find and fetch pages',
    items: [
      {
        text: 'Scrape',
        link: '/guide/scrape',
        about: 'Get the content of a page as Markdown, HTML, links, JSON or a screenshot',
      },
      {
        text: 'Batches and crawls',
        link: '/guide/jobs',
        about: 'Scrape a list of pages, or all pages of a site, as one job on the server',
      },
      {
        text: 'Map, search and seeds',
        link: '/guide/search',
        about: 'Find the pages that a job starts from, with the map of a site, a search, or `seeds()`',
      },
      {
        text: 'Extract and agents',
        link: '/guide/extract',
        about: 'Let a language model extract data from many pages, or do a task on the web',
      },
      {
        text: 'Monitors',
        link: '/guide/monitors',
        about: 'Watch pages on a schedule, and report what has changed',
      },
    ],
  },
  {
    text: 'Tools',
    items: [
      {
        text: 'Playwright Test and Vitest',
        link: '/guide/testing',
        about: 'Run test suites of Playwright Test and Vitest on the browsers of a server',
      },
      {
        text: 'Agents and MCP',
        link: '/mcp',
        about: 'Give agents a remote browser, small snapshots of pages, and tools to scrape, map and search, over MCP',
      },
      {
        text: 'Any language',
        link: '/guide/any-language',
        about: 'Give a session to a program in any language with `bowline exec`, and generate clients of the HTTP API',
      },
      { text: 'Clients', link: '/clients' },
      {
        text: 'Dashboard',
        link: '/guide/dashboard',
        about: 'See what every browser, job and key of your team is doing, and step in',
      },
      {
        text: 'Command line',
        link: '/guide/command-line',
        about: 'Scrape pages, run jobs, and manage sessions and servers with `bowline`; exit codes and JSON output',
      },
      {
        text: 'Usage and credits',
        link: '/guide/usage',
        about: 'What sessions, scrapes and jobs cost, and how to limit what a team can spend',
      },
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
      {
        text: 'Upgrades',
        link: '/running/upgrade',
        about: 'Upgrade one or several servers, go back, and move to PostgreSQL',
      },
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
