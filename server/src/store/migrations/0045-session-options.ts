/**
 * Adds the options of a session without their secrets. `json`, which keeps the order of keys.
 */
export const sessionOptions: readonly string[] = [`alter table session add column options json`]
