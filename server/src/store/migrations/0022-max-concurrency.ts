/** Names the concurrency limit of teams after all that it limits: sessions and scrapes. */
export const maxConcurrency: readonly string[] = [`alter table team rename column max_sessions to max_concurrency`]
