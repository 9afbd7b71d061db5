import { z } from 'zod'
import { wholeNumber, type Setting } from './setting.ts'

/** Which browsers run, how they are confined, and how many at once. */
export const browserSettings = {
  browser: {
    flag: 'browser',
    env: 'BOWLINE_BROWSER',
    help: 'which browser to run; default: the headless shell when there is one, else Chromium',
    accepts: '"shell", "chromium" or an absolute path',
    schema: z.union([z.enum(['shell', 'chromium']), z.string().startsWith('/')]).optional(),
  },
  isolation: {
    flag: 'isolation',
    env: 'BOWLINE_ISOLATION',
    help: 'auto: every layer there is, at least one; strict: also no network but the egress proxy, or no start; uid: no bubblewrap; none: maybe without any',
    accepts: '"auto", "strict", "uid" or "none"',
    schema: z.enum(['auto', 'strict', 'uid', 'none']).default('auto'),
  },
  warm: {
    flag: 'warm',
    env: 'BOWLINE_WARM',
    help: 'browsers kept started for the next sessions',
    accepts: 'a whole number from 0 to 50',
    schema: wholeNumber(0, 50).default(2),
  },
  maxSessions: {
    flag: 'max-sessions',
    env: 'BOWLINE_MAX_SESSIONS',
    help: 'sessions that may live at once; default: what the memory allows, container limits respected',
    accepts: 'a whole number from 1 to 10000',
    schema: wholeNumber(1, 10_000).optional(),
  },
  maxFiles: {
    flag: 'max-files',
    env: 'BOWLINE_MAX_FILES',
    help: 'files one session may have downloaded and been sent',
    accepts: 'a whole number from 0 to 100000',
    schema: wholeNumber(0, 100_000).default(1000),
  },
  maxFilesMb: {
    flag: 'max-files-mb',
    env: 'BOWLINE_MAX_FILES_MB',
    help: 'megabytes that the files of one session may have together',
    accepts: 'a whole number from 0 to 1000000',
    schema: wholeNumber(0, 1_000_000).default(1000),
  },
} as const satisfies Record<string, Setting>
