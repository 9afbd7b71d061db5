import { homedir } from 'node:os'
import { settingNames, settings } from '../../server/src/config.ts'
import { browserSettings } from '../../server/src/config/browser-settings.ts'
import { jobSettings } from '../../server/src/config/job-settings.ts'
import { mcpSettings } from '../../server/src/config/mcp-settings.ts'
import { notificationSettings } from '../../server/src/config/notification-settings.ts'
import { retentionSettings } from '../../server/src/config/retention-settings.ts'
import { searchSettings } from '../../server/src/config/search-settings.ts'
import { storeSettings } from '../../server/src/config/store-settings.ts'
import { teamSettings } from '../../server/src/config/team-settings.ts'
import { tlsSettings } from '../../server/src/config/tls-settings.ts'
import { page, table } from './markdown.ts'

type SettingName = (typeof settingNames)[number]

/** Headings of the page, with the settings below each. The rest is below "Server". */
const topics: Readonly<Record<string, object>> = {
  HTTPS: tlsSettings,
  Browsers: browserSettings,
  Storage: storeSettings,
  Retention: retentionSettings,
  'Batches and crawls': jobSettings,
  Search: searchSettings,
  Notifications: notificationSettings,
  Teams: teamSettings,
  MCP: mcpSettings,
}

/** Generates the page of all settings of the server, by topic. */
export function describeSettings(): string {
  const inTopics = new Set(Object.values(topics).flatMap((topic) => Object.keys(topic)))
  const general = settingNames.filter((name) => !inTopics.has(name))
  return page([
    '# Settings',
    'Each setting is a flag of `bowline serve` or an environment variable; the flag takes precedence. The server refuses to start with an invalid value.',
    ...describeTopic('Server', general),
    ...Object.entries(topics).flatMap(([title, topic]) => {
      return describeTopic(
        title,
        settingNames.filter((name) => name in topic),
      )
    }),
  ])
}

function describeTopic(title: string, names: readonly SettingName[]): readonly string[] {
  const rows = names.map((name) => {
    const { flag, env, help, accepts } = settings[name]
    return [`\`--${flag}\``, `\`${env}\``, help, accepts, describeDefault(name)]
  })
  return [`## ${title}`, table(['Flag', 'Variable', 'Meaning', 'Accepts', 'Default'], rows)]
}

/** Formats the default of a setting. Empty if the help text describes it, or if there is none. */
function describeDefault(name: SettingName): string {
  const value: unknown = settings[name].schema.safeParse(undefined).data
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isScalar ? `\`${String(value).replace(homedir(), '~')}\`` : ''
}
