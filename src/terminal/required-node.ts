/** Exit code of an invalid configuration. */
const exitCode = 3

/**
 * Checks that this Node.js has at least the given major version. Otherwise prints the required
 * version to standard error and sets the exit code to 3. Runs on every version of Node.js.
 */
export function hasRequiredNode(program: string, major: number): boolean {
  if (Number(process.versions.node.split('.')[0]) >= major) return true
  const found = `${process.versions.node} (${process.execPath})`
  process.stderr.write(`${program} needs Node.js ${major} or newer. This is Node.js ${found}.\n`)
  process.exitCode = exitCode
  return false
}
