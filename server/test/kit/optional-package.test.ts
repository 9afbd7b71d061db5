import { expect, test } from 'vitest'
import { isInstalled, loadOptional } from '../../src/kit/optional-package.ts'

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /app/mail.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
}

test('the error for a missing optional package has its purpose and the install command', async () => {
  const loading = loadOptional('nodemailer', 'email', async () => Promise.reject(notFound('nodemailer')))

  await expect(loading).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    status: 501,
    message: 'Install nodemailer to use email: npm install nodemailer',
  })
})

test.each([
  ['lacks one of its dependencies', notFound('nodemailer-shared')],
  ['fails while it loads', new TypeError("Cannot read properties of undefined (reading 'nodemailer')")],
])('an optional package that %s fails with that error', async (_what, error) => {
  await expect(loadOptional('nodemailer', 'email', async () => Promise.reject(error))).rejects.toBe(error)
})

test('an optional package that is installed is loaded', async () => {
  expect(await loadOptional('zod', 'schemas', async () => import('zod'))).toHaveProperty('z')
})

test('a package that cannot be resolved is not installed, whatever the reason', () => {
  expect(isInstalled('vitest')).toBe(true)
  expect(isInstalled('not-a-package')).toBe(false)
  // It exists, but resolving it fails with another code than that of a missing package.
  expect(isInstalled('vitest/not-exported')).toBe(false)
})
