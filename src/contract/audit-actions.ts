/**
 * Actions that the audit log records. Without a schema, so that the dashboard can load them.
 */
export const auditActions = [
  'access.denied',
  'auth.failed',
  'key.created',
  'key.revoked',
  'key.retired',
  'profile-key.rotated',
  'profile.deleted',
  'profile.exported',
  'profile.imported',
  'profile.rolled-back',
  'secret.set',
  'secret.deleted',
  'session.deleted',
  'team.created',
  'team.updated',
  'webhook-secret.deleted',
  'webhook-secret.set',
] as const

export type AuditAction = (typeof auditActions)[number]
