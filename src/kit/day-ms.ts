/** Milliseconds in 24 hours. */
export const dayMs = 86_400_000
