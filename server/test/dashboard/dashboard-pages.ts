/** Path, title and shortcut of each page in the menu of the dashboard. */
export const dashboardPages = [
  ['sessions', 'Sessions', 's'],
  ['profiles', 'Profiles', 'p'],
  ['extensions', 'Extensions', 'e'],
  ['playground', 'Playground', 'l'],
  ['jobs', 'Jobs', 'j'],
  ['monitors', 'Monitors', 'm'],
  ['webhooks', 'Webhooks', 'w'],
  ['usage', 'Usage', 'u'],
  ['activity', 'Activity', 'a'],
  ['teams', 'Teams', 't'],
  ['keys', 'Keys', 'k'],
  ['secrets', 'Secrets', 'c'],
  ['audit-log', 'Audit log', 'd'],
  ['health', 'Health', 'h'],
] as const
