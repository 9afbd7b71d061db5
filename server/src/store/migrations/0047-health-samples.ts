/** Creates the samples of the health of servers, which are kept for a day. */
export const healthSamples: readonly string[] = [
  `create table health_sample (
    at timestamptz not null,
    node_id uuid not null,
    sessions integer not null,
    max_sessions integer not null,
    waiting integer not null,
    memory_used real not null,
    cpu_used real not null,
    queue_wait_seconds real not null,
    requests integer not null,
    errors integer not null,
    primary key (at, node_id)
  )`,
]
