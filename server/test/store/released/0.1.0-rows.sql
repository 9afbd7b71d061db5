-- Rows of 0.1.0 in addition to those of first-build-rows.sql.
update session set name = 'checkout', metadata = '{"run": "7"}', is_prompted = true, alive_until = '2026-01-31T22:01:00Z',
  webhook = '{"url":"https://a.example/hook","headers":{},"metadata":{},"events":["session.ended"]}'
  where id = '00000000-0000-7000-8000-000000000004';
update api_key set mcp = '{"tools": "read"}';
update activity set audit_username = 'ann';
update scrape set replay = '{"url":"https://a.example/","waitFor":0,"actions":[]}';
insert into ledger_day (team_id, day, api_key_id, kind, credits, charges, last_charge_at) values
  ('00000000-0000-7000-8000-000000000001', '2025-12-31', '00000000-0000-7000-8000-000000000002', 'scrape', 3000000000, 9,
    '2025-12-31T23:59:59.999Z');
insert into extension (id, team_id, name, version, bytes, content_bytes, is_stored) values
  ('00000000-0000-7000-8000-000000000015', '00000000-0000-7000-8000-000000000001', 'Blocker', '1.2', 10, 20, true);
insert into parse_upload (id, team_id, name, content_type, secret, state) values
  ('00000000-0000-7000-8000-000000000016', '00000000-0000-7000-8000-000000000001', 'a.pdf', 'application/pdf', 'secret', 'stored');
insert into secret (team_id, name, kind, origins, value, key_id) values
  ('00000000-0000-7000-8000-000000000001', 'PASSWORD', 'text', '["https://a.example"]', 'AAAA', 'key');
insert into audit_event (id, action, team_id, by_key_id, address, request_id, details, created_at) values
  ('00000000-0000-7000-8000-000000000017', 'secret.set', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
    '10.0.0.1', 'request', '{"name": "PASSWORD"}', '2026-02-01T10:00:00Z');
insert into agent_job (id, team_id, api_key_id, request, status, answer, credits, finished_at) values
  ('00000000-0000-7000-8000-000000000018', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
    '{"prompt":"Find it","urls":[],"strictConstrainToURLs":false,"maxCredits":100,"baseUrl":"http://a.example"}', 'completed',
    '{"data":{"zebra":1,"ant":2}}', 5, now());
insert into agent_step (job_id, sequence, credits, messages, events) values
  ('00000000-0000-7000-8000-000000000018', 1, 5, '[{"role":"user","content":"Find it"}]',
    '[{"schemaVersion":1,"eventId":"e","runId":"r","occurredAt":"2026-02-01T10:00:00Z","producerSequence":1,"agent":{"id":"a","role":"agent","name":"A"},"type":"run.started"}]');
