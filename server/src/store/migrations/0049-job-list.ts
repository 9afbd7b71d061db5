/**
 * Indexes the list of jobs of a team. The cursors of its pages have milliseconds, so times must not
 * have more.
 */
export const jobList: readonly string[] = ['extract_job', 'agent_job'].flatMap((table) => [
  `create index ${table}_by_team on ${table} (team_id, created_at desc)`,
  `alter table ${table} alter column created_at set default date_trunc('milliseconds', now())`,
  `update ${table} set created_at = date_trunc('milliseconds', created_at)`,
])
