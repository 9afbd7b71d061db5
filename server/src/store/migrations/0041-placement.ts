/** Adds the properties that decide on which server a session starts. */
export const placement: readonly string[] = [
  `alter table node add column memory_used real not null default 0, add column cpu_used real not null default 0`,
  `alter table profile add column last_node_id text`,
]
