import { wholeNumber, type Setting } from './setting.ts'

/** Retention of sessions, charges, files, recordings and the audit log. */
export const retentionSettings = {
  retentionDays: {
    flag: 'retention-days',
    env: 'BOWLINE_RETENTION_DAYS',
    help: 'days that ended sessions, single charges and the state of tracked pages are kept; sums of older charges are kept',
    accepts: 'a whole number from 1 to 3650',
    schema: wholeNumber(1, 3650).default(90),
  },
  keptFilesHours: {
    flag: 'kept-files-hours',
    env: 'BOWLINE_KEPT_FILES_HOURS',
    help: 'hours that the files of sessions with `keepFiles` are kept after the session has ended',
    accepts: 'a whole number from 1 to 8760',
    schema: wholeNumber(1, 8760).default(24),
  },
  recordingDays: {
    flag: 'recording-days',
    env: 'BOWLINE_RECORDING_DAYS',
    help: 'days that recordings are kept',
    accepts: 'a whole number from 1 to 365',
    schema: wholeNumber(1, 365).default(7),
  },
  maxRecordingMb: {
    flag: 'max-recording-mb',
    env: 'BOWLINE_MAX_RECORDING_MB',
    help: 'maximum total size of the recordings of a session, in megabytes',
    accepts: 'a whole number from 1 to 10000',
    schema: wholeNumber(1, 10_000).default(200),
  },
  auditDays: {
    flag: 'audit-days',
    env: 'BOWLINE_AUDIT_DAYS',
    help: 'days that entries of the audit log are kept',
    accepts: 'a whole number from 1 to 3650',
    schema: wholeNumber(1, 3650).default(365),
  },
} as const satisfies Record<string, Setting>
