import { z } from 'zod'
import { sessionLimits } from 'bowline/contract/session-options'
import { wholeNumber, type Setting } from './setting.ts'

/** Settings of browsers: the binary, isolation, and limits per server and session. */
export const browserSettings = {
  browser: {
    flag: 'browser',
    env: 'BOWLINE_BROWSER',
    help: 'browser to run; default: the headless shell if it is installed, otherwise Chromium',
    accepts: '"shell", "chromium" or an absolute path',
    schema: z.union([z.enum(['shell', 'chromium']), z.string().startsWith('/')]).optional(),
  },
  isolation: {
    flag: 'isolation',
    env: 'BOWLINE_ISOLATION',
    help: 'auto: all available layers, at least one required; strict: additionally requires that browsers reach the network only through the egress proxy; uid: without bubblewrap; none: no layer required',
    accepts: '"auto", "strict", "uid" or "none"',
    schema: z.enum(['auto', 'strict', 'uid', 'none']).default('auto'),
  },
  warm: {
    flag: 'warm',
    env: 'BOWLINE_WARM',
    help: 'number of browsers that are started in advance',
    accepts: 'a whole number from 0 to 50',
    schema: wholeNumber(0, 50).default(2),
  },
  maxSessions: {
    flag: 'max-sessions',
    env: 'BOWLINE_MAX_SESSIONS',
    help: 'maximum number of concurrent sessions; default: derived from the memory of the machine or container',
    accepts: 'a whole number from 1 to 10000',
    schema: wholeNumber(1, 10_000).optional(),
  },
  maxTtl: {
    flag: 'max-ttl',
    env: 'BOWLINE_MAX_TTL',
    help: 'maximum lifetime of a session in seconds, its `ttl` and all extensions',
    // A request without `ttl` asks for the default.
    accepts: `a whole number from ${sessionLimits.ttl.default} to ${sessionLimits.ttl.max}`,
    schema: wholeNumber(sessionLimits.ttl.default, sessionLimits.ttl.max).default(3600),
  },
  resumeSeconds: {
    flag: 'resume-seconds',
    env: 'BOWLINE_RESUME_SECONDS',
    help: 'seconds for which a CDP client that lost its connection can resume it; 0: connections cannot be resumed',
    accepts: 'a whole number from 0 to 600',
    schema: wholeNumber(0, 600).default(30),
  },
  maxExtensions: {
    flag: 'max-extensions',
    env: 'BOWLINE_MAX_EXTENSIONS',
    help: 'maximum number of browser extensions per team; 0: none can be uploaded',
    accepts: 'a whole number from 0 to 1000',
    schema: wholeNumber(0, 1000).default(20),
  },
  execution: {
    flag: 'execution',
    env: 'BOWLINE_EXECUTION',
    help: 'whether clients may run code beside their sessions; see `session.execute()`',
    accepts: '"on" or "off"',
    schema: z.enum(['on', 'off']).default('on'),
  },
  maxFiles: {
    flag: 'max-files',
    env: 'BOWLINE_MAX_FILES',
    help: 'maximum number of downloaded and uploaded files per session',
    accepts: 'a whole number from 0 to 100000',
    schema: wholeNumber(0, 100_000).default(1000),
  },
  maxFilesMb: {
    flag: 'max-files-mb',
    env: 'BOWLINE_MAX_FILES_MB',
    help: 'maximum total size of the files of a session, in megabytes',
    accepts: 'a whole number from 0 to 1000000',
    schema: wholeNumber(0, 1_000_000).default(1000),
  },
} as const satisfies Record<string, Setting>
