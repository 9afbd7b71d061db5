/** Adds the end time of extract jobs, from which their retention counts. */
export const extractEnd: readonly string[] = [`alter table extract_job add column finished_at timestamptz`]
