/** Maximum delay of a timer in milliseconds, about 24 days. A longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1
