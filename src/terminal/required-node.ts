/** Exit code of an invalid configuration. */
const exitCode = 3

/**
 * Checks that this Node.js has at least the given major version. Otherwise prints the required
 * version to standard error, as JSON with `--json`, and sets the exit code to 3. Runs on every
 * version of Node.js.
 */
export function hasRequiredNode(program: string, major: number): boolean {
  if (Number(process.versions.node.split('.')[0]) >= major) return true
  const found = `${process.versions.node} (${process.execPath})`
  const message = `${program} needs Node.js ${major} or newer. This is Node.js ${found}.`
  const args = process.argv.slice(2)
  const isJson = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined).includes('--json')
  process.stderr.write(`${isJson ? JSON.stringify({ code: 'CONFIG_INVALID', message }) : message}\n`)
  process.exitCode = exitCode
  return false
}
