import { BowlineError } from './errors.ts'

// The entry points of the package import this module first: the others fail on an older Node.js,
// with errors about missing functions. It must load there itself.
const major = 22
const { node } = process.versions
if (Number(node.split('.')[0]) < major) {
  const message = `bowline needs Node.js ${major} or newer. This is Node.js ${node} (${process.execPath})`
  throw new BowlineError('CONFIG_INVALID', message, { hint: 'Run the program with a newer Node.js.' })
}
