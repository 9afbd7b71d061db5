import { expect, test } from 'vitest'
import { partSettings } from '../../src/app/part-settings.ts'
import { parseConfig, secretSettings } from '../../src/config.ts'

const secrets = {
  apiKey: 'secret-api-key-of-the-server',
  proxyBasic: 'http://user:secret-basic@proxy.example',
  proxyEnhanced: 'http://user:secret-enhanced@proxy.example',
  databaseUrl: 'postgres://user:secret-database@[fd00::1]/bowline',
  s3AccessKeyId: 'secret-s3-id',
  s3SecretAccessKey: 'secret-s3-key',
  s3SessionToken: 'secret-s3-token',
  profileKey: '736563726574'.padEnd(64, '0'),
  previousProfileKeys: '736563726574'.padEnd(64, '1'),
  llmKey: 'secret-llm-key',
  webhookSecret: 'secret-of-webhooks',
  metricsToken: 'secret-of-metrics',
  braveKey: 'secret-brave-key',
  smtpUrl: 'smtp://user:secret-smtp@mail.example',
}

const config = parseConfig({
  ...secrets,
  llmUrl: 'https://llm.example',
  publicUrl: 'https://bowline.example',
  blobs: 's3://bucket/prefix',
})

function secretsIn(settings: unknown): readonly string[] {
  const text = JSON.stringify(settings)
  return Object.entries(secrets)
    .filter(([, secret]) => text.includes(JSON.stringify(secret).slice(1, -1)))
    .map(([name]) => name)
}

test('each secret reaches only the parts that use it', () => {
  const { services, ...parts } = partSettings(config)
  const found = Object.entries({ ...parts, ...services })
    .map(([part, settings]) => [part, secretsIn(settings)] as const)
    .filter(([, names]) => names.length > 0)

  expect(Object.fromEntries(found)).toEqual({
    storage: ['apiKey', 'databaseUrl'],
    blobs: ['s3AccessKeyId', 's3SecretAccessKey', 's3SessionToken'],
    egress: ['proxyBasic', 'proxyEnhanced'],
    profiles: ['profileKey', 'previousProfileKeys'],
    api: ['metricsToken'],
    searches: ['braveKey'],
    languageModel: ['llmKey'],
    webhooks: ['webhookSecret'],
    mail: ['smtpUrl'],
  })
})

test('the test covers every secret setting', () => {
  expect(Object.keys(secrets)).toEqual(expect.arrayContaining([...secretSettings]))
})

test('the egress gets the addresses of the database without its password', () => {
  expect(partSettings(config).egress.databases).toEqual([{ host: 'fd00::1', port: 5432 }])
  expect(partSettings(parseConfig({})).egress.databases).toEqual([])
})

test('parts receive whether an optional feature is on, but not its settings', () => {
  expect(partSettings(config).features).toEqual({ hasBucket: true, hasAdLists: false, hasMail: true, hasTraces: false })
  expect(partSettings(parseConfig({})).features).toEqual({
    hasBucket: false,
    hasAdLists: false,
    hasMail: false,
    hasTraces: false,
  })
})
