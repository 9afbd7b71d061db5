/** Adds error codes to the activity log, so that it can include failed calls. */
export const activityErrors: readonly string[] = [`alter table activity add column error text`]
