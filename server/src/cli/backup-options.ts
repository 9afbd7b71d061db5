import type { Command } from 'commander'
import type { BackupSettings } from '../backup/backup-settings.ts'
import { databaseToolEnvironment, readConfig, settings } from '../config.ts'

/** Flags that say where a server keeps its data. */
export type StorageFlags = Pick<Parameters<typeof readConfig>[0], 'dataDir' | 'databaseUrl' | 'blobs'>

/** Adds the flags of a server's storage to a command. */
export function addStorageFlags(command: Command, names: readonly (keyof StorageFlags)[]): Command {
  for (const name of names) {
    const { flag, env, help } = settings[name]
    command.option(`--${flag} <value>`, `${help} (${env})`)
  }
  return command
}

/**
 * Reads the settings of a server's storage from flags and the environment. Throws
 * CONFIG_INVALID.
 */
export function readStorageSettings(flags: StorageFlags): BackupSettings {
  const { dataDir, databaseUrl, blobs, s3AccessKeyId, s3SecretAccessKey, s3SessionToken } = readConfig(flags)
  return {
    dataDir,
    databaseUrl,
    blobs,
    s3AccessKeyId,
    s3SecretAccessKey,
    s3SessionToken,
    environment: databaseToolEnvironment(),
  }
}

/** Formats a number of bytes as megabytes. */
export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
