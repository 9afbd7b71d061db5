/**
 * Starts the retention of states of vanished pages: checks that did not change a state have not
 * updated its time before.
 */
export const monitorStateChecked: readonly string[] = [`update monitor_state set checked_at = now()`]
