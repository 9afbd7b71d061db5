import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../../../test/lab/source-tree.ts'
import { ensureDashboard } from './dashboard-fixture.ts'

test('the scripts of the dashboard contain the path table, but no schemas', async () => {
  await ensureDashboard({ root: repository })
  const folder = join(repository, 'server/dist/dashboard/assets')
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const text = scripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')

  expect(text).toContain('/v2/monitor/{id}/checks')
  expect(text).not.toMatch(/ZodError|ZodType/)
})
