import { optionalPackages } from '../app/check-packages.ts'
import { isInstalled } from '../kit/optional-package.ts'
import type { Finding } from './finding.ts'

/** Lists the optional packages, and what does not work without those that are not installed. */
export function listOptionalPackages(hasPackage = isInstalled): readonly Finding[] {
  return Object.entries(optionalPackages).map(([name, effect]) => {
    const what = 'optional package'
    if (hasPackage(name)) return { what, state: 'good', detail: `${name} is installed` }
    return { what, state: 'poor', detail: `${name} is not installed: ${effect} (npm install ${name})` }
  })
}
