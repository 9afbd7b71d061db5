/** The exit code of wrong configuration. */
const exitCode = 3

/**
 * Whether this Node.js has at least the major version that a program needs. If not, the function writes one sentence to
 * standard error and sets the exit code to 3. It runs on every Node.js.
 */
export function hasRequiredNode(program: string, major: number): boolean {
  if (Number(process.versions.node.split('.')[0]) >= major) return true
  const found = `${process.versions.node} (${process.execPath})`
  process.stderr.write(`${program} needs Node.js ${major} or newer. This is Node.js ${found}.\n`)
  process.exitCode = exitCode
  return false
}
