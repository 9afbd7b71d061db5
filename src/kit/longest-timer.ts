/** The longest time in milliseconds that a timer can wait, some 24 days; a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1
