/** Keeps the words of a schedule. */
export const scheduleText: readonly string[] = [`alter table monitor add column schedule_text text`]
