/** Stores which version of its profile a session has loaded. 0: none was saved. */
export const loadedProfiles: readonly string[] = [`alter table session add column profile_loaded integer`]
