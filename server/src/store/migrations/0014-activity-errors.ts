/** The error code of a call that failed, so that the activity lists failures too. */
export const activityErrors: readonly string[] = [`alter table activity add column error text`]
