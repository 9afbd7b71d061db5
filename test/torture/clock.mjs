// Preloaded by the servers of a torture run, in all their threads: their wall clock differs from the
// real one by the milliseconds in the file `BOWLINE_TORTURE_CLOCK`. Their timers and the monotonic
// clock are not affected, as when someone sets the clock of a machine.
import { readFileSync } from 'node:fs'

const file = process.env['BOWLINE_TORTURE_CLOCK']
let offsetMs = 0

function readOffset() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // No step so far.
  }
}

if (file !== undefined) {
  const RealDate = Date
  const { now } = RealDate
  RealDate.now = () => now() + offsetMs
  // A proxy, so that dates of other threads are still instances of it.
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, values, created) =>
      Reflect.construct(target, values.length === 0 ? [target.now()] : values, created),
    apply: (target) => new target(target.now()).toString(),
  })
  readOffset()
  setInterval(readOffset, 100).unref()
}
