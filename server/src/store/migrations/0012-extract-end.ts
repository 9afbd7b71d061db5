/** When extractions ended: from then on counts the time in which they can be read. */
export const extractEnd: readonly string[] = [`alter table extract_job add column finished_at timestamptz`]
