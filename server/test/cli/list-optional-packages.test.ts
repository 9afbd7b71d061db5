import { expect, test } from 'vitest'
import { listOptionalPackages } from '../../src/cli/list-optional-packages.ts'

test('the doctor lists optional packages, and what does not work without them', () => {
  const findings = listOptionalPackages((name) => name === 'nodemailer')

  expect(findings).toContainEqual({ what: 'optional package', state: 'good', detail: 'nodemailer is installed' })
  expect(findings).toContainEqual({
    what: 'optional package',
    state: 'poor',
    detail: 'classic-level is not installed: profiles cannot be exported as storageState (npm install classic-level)',
  })
})
