import { spawn } from 'node:child_process'
import { SetupError } from './setup-error.mjs'

const keptCharacters = 4000

/**
 * Runs a program and hides its output. If it fails, the SetupError contains the end of the output.
 */
export function runQuietly(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    let output = ''
    const append = (chunk) => {
      output = (output + chunk).slice(-keptCharacters)
    }
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', append)
    child.stderr.setEncoding('utf8').on('data', append)
    child.on('error', (error) => reject(new SetupError(`${command} could not be started: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output)
      else
        reject(new SetupError(`\`${[command, ...args].join(' ')}\` failed (${signal ?? code}):\n${output.trimEnd()}`))
    })
  })
}
