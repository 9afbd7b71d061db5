/** The installed browsers. The headless shell needs half of the CPU time. */
export const browserPaths = {
  shell: '/usr/lib/chromium/chromium-headless-shell',
  chromium: '/usr/lib/chromium/chromium',
} as const
