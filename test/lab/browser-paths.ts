/** The browsers of this machine's packages. The shell takes half of the processor time of the other. */
export const browserPaths = {
  shell: '/usr/lib/chromium/chromium-headless-shell',
  chromium: '/usr/lib/chromium/chromium',
} as const
