import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a script with the stdio of this process: with `sh` if its name ends in `.sh`, otherwise with
 * `node`. Forwards signals. Resolves to its exit code.
 */
export function runChild(root, node, args) {
  return new Promise((resolve, reject) => {
    const path = [join(root, 'node_modules/node/bin'), join(root, 'node_modules/.bin'), process.env.PATH ?? '']
    // Without a build, the server strips the types of the live view, which Node reports as experimental.
    const [program, ...flags] = args[0]?.endsWith('.sh') ? ['sh'] : [node, '--disable-warning=ExperimentalWarning']
    const child = spawn(program, [...flags, ...args], {
      cwd: root,
      stdio: 'inherit',
      // Child processes that start `node` use the same Node.
      env: { ...process.env, PATH: path.join(delimiter) },
    })
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the whole process group. Forwarding it would count as a second Ctrl-C.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    const forwardOnce = forwarded.map((signal) => {
      let lastMs = -Infinity
      return () => {
        // npm forwards signals that its process group has already received.
        const nowMs = performance.now()
        if (nowMs - lastMs > 500) forward(signal)
        lastMs = nowMs
      }
    })
    forwarded.forEach((signal, index) => process.on(signal, forwardOnce[index]))
    const release = () => forwarded.forEach((signal, index) => process.off(signal, forwardOnce[index]))
    child.on('error', (error) => {
      release()
      reject(error)
    })
    child.on('close', (code, signal) => {
      release()
      resolve(signal === null ? code : 128 + constants.signals[signal])
    })
  })
}
