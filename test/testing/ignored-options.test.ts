import type { FullProject } from '@playwright/test'
import { devices } from '@playwright/test'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { warnOfIgnoredOptions } from '../../src/testing/ignored-options.ts'
import { RunState } from '../../src/testing/run-state.ts'

function warningsFor(use: FullProject['use'], browserName = 'chromium'): readonly string[] {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'bowline-run-'))
  using warn = vi.spyOn(console, 'warn').mockReturnValue()
  const runState = new RunState(process.pid, folder.path)
  for (const _ of [1, 2]) warnOfIgnoredOptions({ video: 'off', browserName }, { name: 'shop', use }, runState)
  return warn.mock.calls.flat().map(String)
}

test.each(['iPhone 13', 'iPad Mini', 'Pixel 7', 'Desktop Chrome'])('%s runs in Chromium without a warning', (name) => {
  expect(warningsFor(devices[name] ?? {})).toEqual([])
})

test.each([
  ['firefox', devices['Desktop Firefox'] ?? {}, 'chromium'],
  ['webkit', devices['Desktop Safari'] ?? {}, 'chromium'],
  ['webkit', { ...devices['iPhone 13'], browserName: 'webkit' }, 'chromium'],
  ['firefox', {}, 'firefox'],
] as const)('a project that asks for %s gets one warning', (browser, use, browserName) => {
  expect(warningsFor(use, browserName)).toEqual([
    `Bowline: project "shop" asks for ${browser}, but all tests run in Chromium.`,
  ])
})
