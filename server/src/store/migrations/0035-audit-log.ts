/** Creates the audit log. It has no foreign keys, so that its entries outlive what they name. */
export const auditLog: readonly string[] = [
  `create table audit_event (
    id uuid primary key,
    action text not null,
    team_id uuid,
    by_key_id uuid,
    address text,
    request_id text,
    details jsonb not null,
    created_at timestamptz not null
  )`,
  `create index audit_event_by_age on audit_event (created_at desc, id desc)`,
]
