import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Runs a script under `node` with this process's stdio and passes signals on. Resolves to its exit code. */
export function runChild(root, node, args) {
  return new Promise((resolve, reject) => {
    const path = [join(root, 'node_modules/node/bin'), join(root, 'node_modules/.bin'), process.env.PATH ?? '']
    // The page of the live view is TypeScript that is stripped of its types when it is served unbuilt.
    const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...args], {
      cwd: root,
      stdio: 'inherit',
      // Programs that our commands start by the name `node` get the same Node.
      env: { ...process.env, PATH: path.join(delimiter) },
    })
    const forward = (signal) => {
      // A terminal sends Ctrl-C to the whole group: passed on as well it would count as a second, impatient one.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    }
    const forwardOnce = forwarded.map((signal) => {
      let lastMs = -Infinity
      return () => {
        // npm passes on signals that its group has received already.
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
