import { expect, test } from 'vitest'
import { parseManifest, runtimeIdOf } from '../../src/extensions/manifest.ts'

const id = '0198c0de-0000-7000-8000-000000000000'

function parse(fields: object) {
  return parseManifest(JSON.stringify({ manifest_version: 3, name: 'A', version: '1.0', ...fields }), id)
}

test('the manifest for Chromium has a key of the upload, and nothing of the store', () => {
  const { text } = parse({ key: 'of the store', update_url: 'https://clients2.google.com/', icons: { 16: 'a.png' } })

  expect(JSON.parse(text)).toEqual({
    manifest_version: 3,
    name: 'A',
    version: '1.0',
    icons: { 16: 'a.png' },
    key: expect.stringMatching(/^[\w+/]{43}=$/),
  })
  expect(runtimeIdOf(id)).toMatch(/^[a-p]{32}$/)
})

test.each([
  ['with hosts', { host_permissions: ['<all_urls>', '*://*/*', 'https://*.example.com/*', 'ws://localhost/*'] }],
  ['with permissions', { permissions: ['tabs', 'scripting'], optional_permissions: ['cookies'] }],
  ['with a byte order mark', {}, '\uFEFF'],
])('a manifest %s is accepted', (_name, fields, mark = '') => {
  const json = mark + JSON.stringify({ manifest_version: 3, name: 'A', version: '1.0', ...fields })

  expect(parseManifest(json, id)).toMatchObject({ name: 'A', version: '1.0', hasRulesets: false })
})

test.each<[object, string]>([
  [{ manifest_version: 2 }, '`manifest_version` of manifest.json: must be 3, not 2: Chromium no longer runs'],
  [{ name: undefined }, '`name` of manifest.json: '],
  [{ version: 'next' }, '`version` of manifest.json: must have one to four numbers'],
  [{ default_locale: '../en' }, '`default_locale` of manifest.json: '],
  ...[
    'contentSettings',
    'debugger',
    'downloads',
    'downloads.open',
    'enterprise.deviceAttributes',
    'management',
    'nativeMessaging',
    'privacy',
    'proxy',
    'system.cpu',
  ].flatMap((name): [object, string][] => [
    [{ permissions: ['tabs', name] }, `the permission \`${name}\` is not allowed: it `],
    [{ optional_permissions: [name] }, `the permission \`${name}\` is not allowed: it `],
  ]),
  [{ permissions: ['constructor'] }, 'the permission "constructor" is not allowed. Allowed are activeTab, '],
  [{ permissions: ['https://a.example/*'] }, '"https://a.example/*" belongs in `host_permissions`'],
  ...['file:///*', 'chrome://*/*', 'ftp://*/*', 'chrome-extension://*/*', 'data:*'].flatMap(
    (pattern): [object, string][] => [
      [{ host_permissions: [pattern] }, `access to "${pattern}" is not allowed: only http`],
      [{ optional_host_permissions: [pattern] }, `access to "${pattern}" is not allowed: only http`],
      [{ content_scripts: [{ matches: [pattern], js: ['a.js'] }] }, `access to "${pattern}" is not allowed: only http`],
    ],
  ),
  ...[
    'app',
    'chrome_settings_overrides',
    'chrome_url_overrides',
    'devtools_page',
    'externally_connectable',
    'oauth2',
  ].map((key): [object, string] => [{ [key]: {} }, `\`${key}\` is not supported: it `]),
  [{ nacl_modules: [] }, '`nacl_modules` is not supported'],
])('a manifest with %j is refused', (fields, problem) => {
  expect(() => parse(fields)).toThrow(problem)
})

test('all problems of a manifest are in one error', () => {
  expect(() => parse({ devtools_page: 'a.html', permissions: ['proxy'], host_permissions: ['file:///*'] })).toThrow(
    /Sessions cannot load this extension: `devtools_page` .*; the permission `proxy` .*; access to "file:/,
  )
})

test('a manifest that is not JSON is refused', () => {
  expect(() => parseManifest('{ // comment\n}', id)).toThrow('manifest.json is not valid JSON')
})
