import { expect, test } from 'vitest'
import { loadPackage } from '../../src/drivers/load-package.ts'

test('the first package that is installed is used', async () => {
  const loaded = await loadPackage(['bowline-has-no-such-package', 'playwright-core'])

  expect(loaded).toHaveProperty('chromium')
})

test('no package at all is DRIVER_MISSING and says what to install', async () => {
  await expect(loadPackage(['bowline-has-no-such-package', 'bowline-has-no-such-core'])).rejects.toMatchObject({
    code: 'DRIVER_MISSING',
    hint: 'npm install bowline-has-no-such-core',
  })
})

test('a package that is there but broken is not called missing', async () => {
  await expect(loadPackage(['./broken-package.ts'])).rejects.toMatchObject({
    code: 'DRIVER_FAILED',
    cause: { message: 'broken on purpose' },
  })
})
