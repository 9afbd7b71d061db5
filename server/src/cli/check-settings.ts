import { countOf } from 'bowline/kit/count-of'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs } from 'bowline/kit/day-ms'
import { readLastBackup } from '../backup/last-backup.ts'
import type { ServerConfig } from '../config.ts'
import type { Finding } from './finding.ts'

type CheckedSettings = Pick<
  ServerConfig,
  | 'host'
  | 'publicUrl'
  | 'tlsCert'
  | 'trustedProxies'
  | 'dataDir'
  | 'databaseUrl'
  | 'profileKey'
  | 'previousProfileKeys'
  | 'auditDays'
>

/** Checks how clients reach the server, the profile key, the audit log and the last backup. */
export async function checkSettings(config: CheckedSettings): Promise<readonly Finding[]> {
  return [
    checkAddress(config),
    await checkProfileKey(config),
    describeAuditLog(config),
    ...(await checkLastBackup(config)),
  ]
}

function checkAddress({ host, publicUrl, tlsCert, trustedProxies }: CheckedSettings): Finding {
  const what = 'address'
  if (tlsCert !== undefined) return { what, state: 'good', detail: `${publicUrl ?? host}, with a certificate` }
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  const isHttps = publicUrl?.startsWith('https:') === true
  const proxies = trustedProxies.join(', ')
  if (isHttps && proxies === '') {
    const detail = `a proxy serves ${publicUrl}, but --trusted-proxies does not name it: the audit log has its address instead of the clients'`
    return { what, state: 'poor', detail }
  }
  if (!isLocal && !isHttps && proxies === '') {
    const detail = `the server listens on ${host} without HTTPS, so API keys cross the network unencrypted: set --tls-cert and --tls-key, or run a proxy with HTTPS`
    return { what, state: 'poor', detail }
  }
  const behind = proxies === '' ? '' : `, behind the proxies ${proxies}`
  return { what, state: 'good', detail: `${publicUrl ?? host}${behind}` }
}

async function checkProfileKey(config: CheckedSettings): Promise<Finding> {
  const { dataDir, databaseUrl, profileKey, previousProfileKeys } = config
  const what = 'profile key'
  const count = previousProfileKeys.length
  const rotation = count === 0 ? '' : `; rotates ${count} earlier ${count === 1 ? 'key' : 'keys'}`
  if (profileKey !== undefined) return { what, state: 'good', detail: `that of --profile-key${rotation}` }
  if (databaseUrl !== undefined) return { what, state: 'good', detail: `stored in PostgreSQL${rotation}` }
  const path = join(dataDir, 'profile-key')
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    if (!/^[0-9a-f]{64}$/i.test(text.trim())) {
      return { what, state: 'bad', detail: `${path} has no key of 64 hexadecimal digits: restore it from a backup` }
    }
    if ((mode & 0o077) !== 0) {
      return { what, state: 'poor', detail: `other users of this machine may read ${path}: run chmod 600 ${path}` }
    }
    return { what, state: 'good', detail: `${path}${rotation}` }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isAbsent
      ? { what, state: 'good', detail: `created by the first start, as ${path}` }
      : { what, state: 'bad', detail: `${path} cannot be read: ${(error as Error).message}` }
  }
}

function describeAuditLog({ auditDays }: CheckedSettings): Finding {
  return { what: 'audit log', state: 'good', detail: `on; entries are kept for ${countOf(auditDays, 'day')}` }
}

/** Age of a backup after which the doctor warns, in milliseconds. */
const oldBackupMs = 7 * dayMs

/**
 * Checks the age of the last backup. Without one, there is no finding, as other tools can make
 * backups.
 */
async function checkLastBackup({ dataDir }: CheckedSettings): Promise<readonly Finding[]> {
  const last = await readLastBackup(dataDir)
  if (last === undefined) return []
  const ageMs = Date.now() - Date.parse(last.at)
  const detail = `${last.at.slice(0, 10)}, in ${last.location}`
  if (ageMs < oldBackupMs) return [{ what: 'last backup', state: 'good', detail }]
  const days = Math.floor(ageMs / dayMs)
  return [
    { what: 'last backup', state: 'poor', detail: `${detail}: ${countOf(days, 'day')} ago; run bowline-server backup` },
  ]
}
