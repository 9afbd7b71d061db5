/** Adds the user on whose behalf a call was made to the activity. */
export const auditUsername: readonly string[] = [`alter table activity add column audit_username text`]
