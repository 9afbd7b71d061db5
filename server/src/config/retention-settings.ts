import { wholeNumber, type Setting } from './setting.ts'

/** How long what sessions leave is kept, and how much. */
export const retentionSettings = {
  keptFilesHours: {
    flag: 'kept-files-hours',
    env: 'BOWLINE_KEPT_FILES_HOURS',
    help: 'hours that files are kept after the end of a session that asked for it',
    accepts: 'a whole number from 1 to 8760',
    schema: wholeNumber(1, 8760).default(24),
  },
  recordingDays: {
    flag: 'recording-days',
    env: 'BOWLINE_RECORDING_DAYS',
    help: 'days that recordings of sessions are kept',
    accepts: 'a whole number from 1 to 365',
    schema: wholeNumber(1, 365).default(7),
  },
  maxRecordingMb: {
    flag: 'max-recording-mb',
    env: 'BOWLINE_MAX_RECORDING_MB',
    help: 'megabytes that the recordings of one session may have together',
    accepts: 'a whole number from 1 to 10000',
    schema: wholeNumber(1, 10_000).default(200),
  },
} as const satisfies Record<string, Setting>
