/**
 * Gives columns with JSON the type `jsonb`, or `json` where the order of keys is visible.
 *
 * Each of these statements rewrites its table and locks it meanwhile: 50,000 deliveries with 2 kB
 * each take about 4 seconds. JSON columns next to whole pages stay text, as rewriting the pages
 * takes about 6 seconds for each gigabyte.
 *
 * Servers of earlier versions cannot read these columns, because their drivers already parse them:
 * stop them before a server of this version starts on their PostgreSQL.
 */
export const jsonColumns: readonly string[] = [
  `alter table job alter column plan type json using plan::json`,
  `alter table session alter column record type jsonb using ${storable('record')}`,
  `alter table extract_job
    alter column request type json using request::json,
    alter column answer type json using answer::json`,
  `alter table artifact
    alter column details drop default,
    alter column details type jsonb using ${storable('details')},
    alter column details set default '{}'`,
  `alter table monitor
    alter column targets type json using targets::json,
    alter column webhook type json using webhook::json,
    alter column notification type jsonb using ${storable('notification')},
    alter column last_check_summary type jsonb using ${storable('last_check_summary')}`,
  `alter table monitor_check
    alter column summary type jsonb using ${storable('summary')},
    alter column target_results drop default,
    alter column target_results type jsonb using ${storable('target_results')},
    alter column target_results set default '[]'`,
  `alter table monitor_page
    alter column judgment type jsonb using ${storable('judgment')},
    alter column diff type json using diff::json,
    alter column snapshot type json using snapshot::json`,
  `alter table webhook_delivery
    alter column headers type json using headers::json,
    alter column attempts drop default,
    alter column attempts type jsonb using ${storable('attempts')},
    alter column attempts set default '[]'`,
]

/**
 * Replaces U+0000 and half surrogate pairs by U+FFFD, as jsonb cannot store them. Earlier versions
 * wrote them as escapes, and nothing else in these forms.
 */
function storable(column: string): string {
  return String.raw`regexp_replace(${column}::text, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g')::jsonb`
}
