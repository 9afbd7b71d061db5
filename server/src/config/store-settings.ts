import { z } from 'zod'
import { wholeNumber, type Setting } from './setting.ts'

/** Where the server keeps what it keeps, and how much of profiles. */
export const storeSettings = {
  databaseUrl: {
    flag: 'database-url',
    env: 'DATABASE_URL',
    help: 'PostgreSQL to use in place of the embedded store',
    accepts: 'a postgres: or postgresql: URL',
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//)
      .optional(),
  },
  databaseConnections: {
    flag: 'database-connections',
    env: 'BOWLINE_DATABASE_CONNECTIONS',
    help: 'most connections of this server to that PostgreSQL',
    accepts: 'a whole number from 2 to 1000',
    schema: wholeNumber(2, 1000).default(10),
  },
  blobs: {
    flag: 'blobs',
    env: 'BOWLINE_BLOBS',
    help: 'where profiles, recordings, screenshots and kept files are stored, the same for all servers on one PostgreSQL; default: `blobs` in the data directory',
    accepts: 'a path, or s3://BUCKET/PREFIX with ?region= and ?endpoint= as needed',
    schema: z
      .string()
      .regex(/^(s3:\/\/[^/]|(?!s3:).)/)
      .optional(),
  },
  s3AccessKeyId: {
    flag: 's3-access-key-id',
    env: 'AWS_ACCESS_KEY_ID',
    help: 'key of the S3-compatible service; default: what the machine has, such as its role',
    accepts: 'the id of an access key',
    schema: z.string().min(1).optional(),
  },
  s3SecretAccessKey: {
    flag: 's3-secret-access-key',
    env: 'AWS_SECRET_ACCESS_KEY',
    help: 'secret that belongs to this key',
    accepts: 'the secret of an access key',
    schema: z.string().min(1).optional(),
  },
  s3SessionToken: {
    flag: 's3-session-token',
    env: 'AWS_SESSION_TOKEN',
    help: 'token that belongs to a temporary key',
    accepts: 'a session token',
    schema: z.string().min(1).optional(),
  },
  profileKey: {
    flag: 'profile-key',
    env: 'BOWLINE_PROFILE_KEY',
    help: 'key that encrypts profiles; when absent one is made and kept: in the data directory (mode 0600), or in PostgreSQL for all its servers',
    accepts: '64 hexadecimal digits, as `openssl rand -hex 32` makes them',
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .optional(),
  },
  profileVersions: {
    flag: 'profile-versions',
    env: 'BOWLINE_PROFILE_VERSIONS',
    help: 'saved versions kept of each profile',
    accepts: 'a whole number from 1 to 1000',
    schema: wholeNumber(1, 1000).default(10),
  },
  profileQuota: {
    flag: 'profile-quota',
    env: 'BOWLINE_PROFILE_QUOTA',
    help: 'megabytes that one profile may hold before compression',
    accepts: 'a whole number from 1 to 100000',
    schema: wholeNumber(1, 100_000).default(500),
  },
} as const satisfies Record<string, Setting>
