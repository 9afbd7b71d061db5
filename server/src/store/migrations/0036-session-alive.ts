/** Adds the time until which the server of a session has certainly run it. */
export const sessionAlive: readonly string[] = [`alter table session add column alive_until timestamptz`]
