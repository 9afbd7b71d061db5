/** Counts the crashes of servers during a check, which its fence does not tell from shutdowns. */
export const checkCrashes: readonly string[] = [
  `alter table monitor_check add column crashes integer not null default 0`,
]
