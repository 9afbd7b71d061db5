import type { IconName } from '../components/icon.tsx'

/** A page in the navigation. */
export interface NavItem {
  readonly name: string
  readonly title: string
  readonly icon: IconName
  /** Shortcut: `g` followed by this key. */
  readonly key: string
}

/** The navigation, in groups. */
export const navGroups: readonly { readonly title: string; readonly navItems: readonly NavItem[] }[] = [
  {
    title: 'Browsers',
    navItems: [
      { name: 'sessions', title: 'Sessions', icon: 'wall', key: 's' },
      { name: 'profiles', title: 'Profiles', icon: 'profile', key: 'p' },
      { name: 'extensions', title: 'Extensions', icon: 'puzzle', key: 'e' },
    ],
  },
  {
    title: 'Pages',
    navItems: [
      { name: 'playground', title: 'Playground', icon: 'play', key: 'l' },
      { name: 'jobs', title: 'Jobs', icon: 'jobs', key: 'j' },
      { name: 'monitors', title: 'Monitors', icon: 'monitor', key: 'm' },
      { name: 'webhooks', title: 'Webhooks', icon: 'hook', key: 'w' },
    ],
  },
  {
    title: 'Team',
    navItems: [
      { name: 'usage', title: 'Usage', icon: 'chart', key: 'u' },
      { name: 'activity', title: 'Activity', icon: 'list', key: 'a' },
      { name: 'teams', title: 'Teams', icon: 'team', key: 't' },
      { name: 'keys', title: 'Keys', icon: 'key', key: 'k' },
      { name: 'secrets', title: 'Secrets', icon: 'lock', key: 'c' },
      { name: 'audit-log', title: 'Audit log', icon: 'file', key: 'd' },
      { name: 'health', title: 'Health', icon: 'pulse', key: 'h' },
    ],
  },
]

/** All pages. */
export const navItems: readonly NavItem[] = navGroups.flatMap((group) => group.navItems)
