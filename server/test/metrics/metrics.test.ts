import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Metrics } from '../../src/metrics/metrics.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('the metrics of stopped servers are freed, and those of the process are shared', async () => {
  const running = new Metrics('2.0.0')
  const stopped = Array.from({ length: 5 }, () => new WeakRef(new Metrics('1.0.0')))

  const text = await running.text()
  const countKept = (): number => {
    collectGarbage()
    return stopped.filter((each) => each.deref() !== undefined).length
  }
  // The stack may still have the address of the last.
  await expect.poll(countKept).toBeLessThanOrEqual(1)

  expect(text.match(/^# TYPE nodejs_eventloop_lag_seconds gauge$/gm)).toHaveLength(1)
  expect(text).toMatch(/\nbowline_build_info\{version="2\.0\.0",node="24[^"]*"\} 1\n/)
})
