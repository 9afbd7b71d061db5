import { expect, test } from 'vitest'
import { databaseAddresses, splitDatabaseUrl } from '../../src/kit/database-url.ts'

test.each([
  ['postgres://db/bowline', ['postgres://db/bowline']],
  [
    'postgresql://u:p%40@one:5433,[fd00::2],three/bowline?sslmode=require',
    [
      'postgresql://u:p%40@one:5433/bowline?sslmode=require',
      'postgresql://u:p%40@[fd00::2]/bowline?sslmode=require',
      'postgresql://u:p%40@three/bowline?sslmode=require',
    ],
  ],
  ['postgres://u@one,two/db?target_session_attrs=read-write', ['postgres://u@one/db', 'postgres://u@two/db']],
  ['postgres:///db?host=one,two', ['postgres:///db?host=one', 'postgres:///db?host=two']],
  ['postgres://one:port/db', undefined],
  ['postgres://one,two:port/db', undefined],
  ['postgres://one,two/db?target_session_attrs=standby', undefined],
])('the hosts of %j are %j', (url, urls) => {
  expect(splitDatabaseUrl(url)).toEqual(urls)
})

test('the addresses of all hosts are known, with the default port', () => {
  expect(databaseAddresses('postgres://u@one:5433,[fd00::2]/db')).toEqual([
    { host: 'one', port: 5433 },
    { host: 'fd00::2', port: 5432 },
  ])
})
