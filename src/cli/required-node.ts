const requiredMajor = 24
/** The exit code of wrong configuration. */
const exitCode = 3

/** Whether this Node is new enough. If not, says so on standard error and sets the exit code. Runs on every Node. */
export function hasRequiredNode(): boolean {
  if (Number(process.versions.node.split('.')[0]) >= requiredMajor) return true
  const found = `${process.versions.node} (${process.execPath})`
  process.stderr.write(`The bowline command needs Node.js ${requiredMajor} or newer; this is Node.js ${found}.\n`)
  process.exitCode = exitCode
  return false
}
