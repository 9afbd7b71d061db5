import { expect, test } from 'vitest'
import { loadPackage } from '../../src/drivers/load-package.ts'

test('the first installed package is loaded', async () => {
  const loaded = await loadPackage(['bowline-has-no-such-package', 'playwright-core'])

  expect(loaded).toHaveProperty('chromium')
})

test('DRIVER_MISSING names the package to install', async () => {
  await expect(loadPackage(['bowline-has-no-such-package', 'bowline-has-no-such-core'])).rejects.toMatchObject({
    code: 'DRIVER_MISSING',
    hint: 'npm install bowline-has-no-such-core',
  })
})

test('a broken package is not reported as missing', async () => {
  await expect(loadPackage([new URL('broken-package.ts', import.meta.url).href])).rejects.toMatchObject({
    code: 'DRIVER_FAILED',
    cause: { message: 'broken on purpose' },
  })
})
