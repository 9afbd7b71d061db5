import { z } from 'zod'
import { splitDatabaseUrl } from '../kit/database-url.ts'
import { list, wholeNumber, type Setting } from './setting.ts'

/** Settings of the database, the blob store and profiles. */
export const storeSettings = {
  databaseUrl: {
    flag: 'database-url',
    env: 'DATABASE_URL',
    help: 'URL of a PostgreSQL database; with several hosts, separated by commas, the one that is the primary is used; default: an embedded database in the data directory',
    accepts: 'a postgres: or postgresql: URL',
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//)
      .refine((url) => splitDatabaseUrl(url) !== undefined)
      .optional(),
  },
  databaseConnections: {
    flag: 'database-connections',
    env: 'BOWLINE_DATABASE_CONNECTIONS',
    help: 'maximum number of connections of this server to PostgreSQL',
    accepts: 'a whole number from 2 to 1000',
    schema: wholeNumber(2, 1000).default(8),
  },
  blobs: {
    flag: 'blobs',
    env: 'BOWLINE_BLOBS',
    help: 'folder or S3 bucket for profiles, extensions, recordings, screenshots and kept files; must be the same on all servers that share a PostgreSQL; default: `blobs` in the data directory',
    accepts: 'a path, or s3://BUCKET/PREFIX with ?region= and ?endpoint= as needed',
    schema: z
      .string()
      .regex(/^(s3:\/\/[^/]|(?!s3:).)/)
      .optional(),
  },
  s3AccessKeyId: {
    flag: 's3-access-key-id',
    env: 'AWS_ACCESS_KEY_ID',
    help: 'access key ID of the S3-compatible service; default: the AWS credential chain, such as an instance role',
    accepts: 'an access key ID',
    schema: z.string().min(1).optional(),
  },
  s3SecretAccessKey: {
    flag: 's3-secret-access-key',
    env: 'AWS_SECRET_ACCESS_KEY',
    help: 'secret access key',
    accepts: 'a secret access key',
    schema: z.string().min(1).optional(),
  },
  s3SessionToken: {
    flag: 's3-session-token',
    env: 'AWS_SESSION_TOKEN',
    help: 'session token of temporary credentials',
    accepts: 'a session token',
    schema: z.string().min(1).optional(),
  },
  profileKey: {
    flag: 'profile-key',
    env: 'BOWLINE_PROFILE_KEY',
    help: 'key that encrypts profiles; default: a key is created and stored in the data directory (mode 0600), or in PostgreSQL for all servers that share it',
    accepts: '64 hexadecimal digits, such as the output of `openssl rand -hex 32`',
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .optional(),
  },
  previousProfileKeys: {
    flag: 'previous-profile-keys',
    env: 'BOWLINE_PREVIOUS_PROFILE_KEYS',
    help: 'earlier keys, which only decrypt; profiles and secrets are encrypted again with `--profile-key` after the start',
    accepts: 'comma-separated keys of 64 hexadecimal digits',
    schema: list.pipe(z.array(z.string().regex(/^[0-9a-fA-F]{64}$/))).default([]),
  },
  profileVersions: {
    flag: 'profile-versions',
    env: 'BOWLINE_PROFILE_VERSIONS',
    help: 'number of versions kept per profile',
    accepts: 'a whole number from 1 to 1000',
    schema: wholeNumber(1, 1000).default(10),
  },
  profileQuota: {
    flag: 'profile-quota',
    env: 'BOWLINE_PROFILE_QUOTA',
    help: 'maximum size of a profile before compression, in megabytes',
    accepts: 'a whole number from 1 to 100000',
    schema: wholeNumber(1, 100_000).default(500),
  },
} as const satisfies Record<string, Setting>
