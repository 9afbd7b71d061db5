-- Rows as the first build wrote them.
insert into team (id, name, credits, reserved_credits, active_sessions, active_scrapes, max_concurrency, plan_credits, rate_limits) values
  ('00000000-0000-7000-8000-000000000001', 'acme', 90, 30, 1, 0, 5, 100, '/scrape=20');
insert into api_key (id, team_id, name, hash, prefix, role, last_used_at) values
  ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'ci', 'the hash', 'bl-1234', 'admin', now());
insert into node (id, url, slots, live, bootstrap_key_id, blobs) values
  ('00000000-0000-7000-8000-000000000003', 'http://10.0.0.1:3900', 8, 1, '00000000-0000-7000-8000-000000000002', 'blobs of the cluster');
insert into session (id, team_id, api_key_id, node_id, status, end_reason, ttl_seconds, activity_ttl_seconds, stream_web_view,
    on_browser_close, profile_name, profile_save, secret, reserved_credits, idempotency_key, request_hash, created_at,
    last_activity_at, expires_at, ended_at, duration_ms, credits_billed, profile_version, keep_files, record) values
  ('00000000-0000-7000-8000-000000000004', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
    '00000000-0000-7000-8000-000000000003', 'destroyed', 'deleted', 600, 300, true, 'delete', 'shop', true, 'secret', 20, 'once',
    'request', '2026-01-31T22:00:00Z', '2026-01-31T22:01:00Z', '2026-01-31T22:10:00Z', '2026-01-31T22:01:00Z', 60000, 4, 1, true,
    '{"har": true, "keep": "on-failure"}'),
  ('00000000-0000-7000-8000-000000000005', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
    '00000000-0000-7000-8000-000000000003', 'active', null, 600, 300, false, 'disconnect', null, null, 'secret', 20, null, null, now(),
    now(), now() + interval '10 minutes', null, null, null, null, false, null);
insert into hold (id, team_id, node_id, credits, slot) values
  ('00000000-0000-7000-8000-000000000005', '00000000-0000-7000-8000-000000000001', null, 20, 'session'),
  ('00000000-0000-7000-8000-000000000006', '00000000-0000-7000-8000-000000000001', null, 10, null);
insert into ledger (id, team_id, api_key_id, kind, subject_id, credits, created_at) values
  ('00000000-0000-7000-8000-000000000101', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'session',
    '00000000-0000-7000-8000-000000000004', 4, '2026-01-31T22:01:00Z'),
  ('00000000-0000-7000-8000-000000000102', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'scrape',
    '00000000-0000-7000-8000-000000000007', 6, '2026-02-01T10:00:00Z');
insert into setting (key, value) values ('webhook-secret', 'whsec');
insert into activity (id, team_id, endpoint, api_version, target, error, created_at) values
  ('00000000-0000-7000-8000-000000000008', '00000000-0000-7000-8000-000000000001', 'scrape', 'v2', 'https://a.example/', 'SCRAPE_TIMEOUT',
    '2026-02-01T10:00:00Z');
insert into rate_window (team_id, bucket, started_at, used) values ('00000000-0000-7000-8000-000000000001', '/scrape', now(), 7);
insert into profile (id, team_id, name, current_version, last_version, fence) values
  ('00000000-0000-7000-8000-000000000009', '00000000-0000-7000-8000-000000000001', 'shop', 1, 1, 3);
insert into profile_version (profile_id, version, blob, key_id, stored_bytes, content_bytes, browser, session_id) values
  ('00000000-0000-7000-8000-000000000009', 1, 'profiles/1', 'key', 100, 5000000000, 'HeadlessChrome/150.0',
    '00000000-0000-7000-8000-000000000004');
insert into artifact (id, team_id, session_id, kind, name, details, bytes, expires_at) values
  ('00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000004', 'recording',
    'har.json', '{"contentType": "application/json", "startedAtMs": 5}', 10, now() + interval '1 day');
insert into scrape (id, team_id, cache_key, document, page, page_facts, has_blobs, secret) values
  ('00000000-0000-7000-8000-000000000007', '00000000-0000-7000-8000-000000000001', 'cache key',
    convert_to('{"markdown":"# One","metadata":{"sourceURL":"https://a.example/","statusCode":200}}', 'UTF8'), null,
    '{"answerKey":"k","kind":"html","isWhole":true,"isShell":false,"isEnhanced":false,"isUnverified":false}', false, 'secret');
insert into tracked_page (team_id, tracking_key, markdown, extracted) values
  ('00000000-0000-7000-8000-000000000001', 'tracking key', '# One', '{"wish":"{}","data":{"price":1}}');
insert into indexed_page (team_id, url_hash, url, title, description, body, words, dated_at) values
  ('00000000-0000-7000-8000-000000000001', '\x00ff', 'https://a.example/', 'One', 'About one', 'the first lighthouse',
    to_tsvector('english', 'the first lighthouse'), '2026-01-01T00:00:00Z');
insert into job (id, team_id, api_key_id, kind, version, status, target, plan, base_url, total, completed, failed, credits, matching_ms,
    warning, idempotency_key, request_hash, created_at, finished_at, expires_at) values
  ('00000000-0000-7000-8000-00000000000b', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'crawl', 'v2',
    'completed', 'https://a.example/', '{"rounds":[{"request":{"formats":[{"type":"markdown"}]},"showsExtract":false}]}',
    'http://a.example', 2, 1, 1, 6, 5, 'Some links were skipped.', 'once', 'request', now(), now(), now() + interval '1 day');
insert into job_page (job_id, position, url, source_url, identity, round, depth, state, scrape_id, seq, error_code, error, finished_at,
    credits) values
  ('00000000-0000-7000-8000-00000000000b', 0, 'https://a.example/', 'https://a.example', 'a', 0, 0, 'completed',
    '00000000-0000-7000-8000-000000000007', 1, null, null, now(), 6),
  ('00000000-0000-7000-8000-00000000000b', 1, 'https://a.example/b', null, 'b', 0, 1, 'failed',
    '00000000-0000-7000-8000-00000000000c', null, 'SCRAPE_TIMEOUT', 'Too slow', now(), 0);
insert into extract_job (id, team_id, api_key_id, request, status, answer, credits, finished_at) values
  ('00000000-0000-7000-8000-00000000000d', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
    '{"prompt":"Names","enableWebSearch":false,"includeSubdomains":true,"showSources":true,"limit":20,"ignoreInvalidURLs":true,"pages":["https://a.example/"],"folders":[],"baseUrl":"http://a.example"}',
    'completed', '{"data":{"zebra":1,"ant":2},"pages":["https://a.example/"]}', 5, now());
insert into webhook_secret (team_id, secret) values ('00000000-0000-7000-8000-000000000001', 'whsec');
insert into webhook_delivery (id, team_id, unique_key, event, job_id, url, headers, payload, status, attempts, delivered_at) values
  ('00000000-0000-7000-8000-00000000000e', '00000000-0000-7000-8000-000000000001', 'once', 'crawl.completed',
    '00000000-0000-7000-8000-00000000000b', 'https://a.example/hook', '{"x-b":"1","X-B":"2"}', '{"z":1,"a":2}', 'delivered',
    '[{"at":"2026-02-01T10:00:00Z","durationMs":3,"status":200}]', now());
insert into monitor (id, team_id, api_key_id, name, cron, timezone, targets, webhook, notification, retention_days, base_url, next_run_at,
    last_check_summary) values
  ('00000000-0000-7000-8000-00000000000f', '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'News',
    '0 * * * *', 'Europe/Berlin',
    '[{"id":"00000000-0000-7000-8000-000000000010","type":"scrape","urls":["https://a.example/"],"scrapeOptions":{"formats":[{"type":"markdown"}]}}]',
    '{"url":"https://a.example/hook","headers":{},"metadata":{},"events":["monitor.page"]}',
    '{"email":{"enabled":true,"recipients":["a@a.example"],"includeDiffs":false}}', 7, 'http://a.example', now() + interval '1 hour',
    '{"totalPages":1,"same":0,"changed":1,"new":0,"removed":0,"error":0}');
insert into monitor_check (id, monitor_id, team_id, status, trigger, scheduled_for, started_at, finished_at, estimated_credits,
    reserved_credits, actual_credits, billing_status, summary, target_results) values
  ('00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-00000000000f', '00000000-0000-7000-8000-000000000001', 'completed',
    'scheduled', now(), now(), now(), 1, 1, 1, 'confirmed', '{"totalPages":1,"same":0,"changed":1,"new":0,"removed":0,"error":0}',
    '[{"targetId":"00000000-0000-7000-8000-000000000010","type":"scrape","pages":1}]');
insert into monitor_page (id, check_id, target_id, url_hash, url, status, current_scrape_id, status_code, credits, judgment, diff) values
  ('00000000-0000-7000-8000-000000000012', '00000000-0000-7000-8000-000000000011', '00000000-0000-7000-8000-000000000010', 'url hash',
    'https://a.example/', 'changed', '00000000-0000-7000-8000-000000000007', 200, 1,
    '{"meaningful":true,"confidence":"high","reason":"News","meaningfulChanges":[]}', '{"json":{"zebra":{"previous":1,"current":2}}}');
insert into monitor_state (monitor_id, target_id, url_hash, url, markdown, extracted, is_gone) values
  ('00000000-0000-7000-8000-00000000000f', '00000000-0000-7000-8000-000000000010', 'url hash', 'https://a.example/', '# One', null, false);
insert into mail_subscription (id, monitor_id, email, status, source, secret) values
  ('00000000-0000-7000-8000-000000000013', '00000000-0000-7000-8000-00000000000f', 'a@a.example', 'confirmed', 'team', 'secret');
insert into mail (id, subscription_id, check_id, kind, status) values
  ('00000000-0000-7000-8000-000000000014', '00000000-0000-7000-8000-000000000013', '00000000-0000-7000-8000-000000000011', 'check', 'sent');
