import { expect, test } from 'vitest'
import { cronProblem, normalizeCron, runsPerDay } from '../../src/contract/cron.ts'

test.each([
  ['0 9 * * *', '0 9 * * *'],
  ['0\t9 \n*  * *', '0 9 * * *'],
  ['0 9 * JAN Mon', '0 9 * 1 1'],
  ['0 9 * jan-mar,DEC sat-SUN', '0 9 * 1-3,12 6-7'],
  ['0 9 * * SUNDAY', '0 9 * * SUNDAY'],
  ['0 9 * MON JAN', '0 9 * MON JAN'],
  ['jan mon * * *', 'jan mon * * *'],
  ['', ''],
])('%j is normalized to %j', (cron, normal) => {
  expect(normalizeCron(cron)).toBe(normal)
})

test.each([
  ['* * * * *', 'must not run more often than every 5 minutes'],
  ['0,55-59/4 0 * * *', 'must not run more often'],
  ['59 23 * * *', undefined],
  ['0 0 29 2 *', undefined],
  ['0 0 1-31/2 1-12 0-7', undefined],
  ['0,0,0 9,9 * * *', undefined],
  ['00 09 * * *', undefined],
  ['', 'must have five fields'],
  ['0 9 * *', 'got 4'],
  ['0 9 * * * *', 'got 6'],
  ['@daily', 'must have five fields'],
  ['60 0 * * *', '"60" is not a valid minute'],
  ['0 24 * * *', '"24" is not a valid hour'],
  ['0 0 0 * *', '"0" is not a valid day of month'],
  ['0 0 * 13 *', '"13" is not a valid month'],
  ['0 0 * * 8', '"8" is not a valid day of week'],
  ['-5 0 * * *', '"-5" is not a valid minute'],
  ['1.5 0 * * *', '"1.5" is not a valid minute'],
  ['1e1 0 * * *', '"1e1" is not a valid minute'],
  ['0x5 0 * * *', '"0x5" is not a valid minute'],
  ['٣ 0 * * *', '"٣" is not a valid minute'],
  [', 0 * * *', '"" is not a valid minute'],
  ['0, 0 * * *', '"" is not a valid minute'],
  ['30-10 0 * * *', '"30-10" is not a valid minute'],
  ['1-2-3 0 * * *', '"1-2-3" is not a valid minute'],
  ['*/0 0 * * *', '"*/0" is not a valid minute'],
  ['*/61 0 * * *', 'The step must be from 1 to 60'],
  ['0 */25 * * *', 'The step must be from 1 to 24'],
  ['0 0 1-31/32 * *', 'The step must be from 1 to 31'],
  ['0 0 * */13 *', 'The step must be from 1 to 12'],
  ['0 0 * * */8', 'The step must be from 1 to 7'],
  ['*/60 */24 */31 */12 */7', undefined],
  ['*/ 0 * * *', '"*/" is not a valid minute'],
  ['**/5 0 * * *', '"**/5" is not a valid minute'],
  ['? 0 * * *', '"?" is not a valid minute'],
  ['0 0 L * *', '"L" is not a valid day of month'],
  ['0 0 * * 1#2', '"1#2" is not a valid day of week'],
  [`${'9'.repeat(400)} 0 * * *`, 'is not a valid minute'],
  [`*/${'9'.repeat(400)} 0 * * *`, 'is not a valid minute'],
])('the validation message of %j is %j', (cron, problem) => {
  const found = cronProblem(cron)
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toContain(problem)
})

test.each([
  ['0 9 * * *', 1],
  ['*/30 * * * *', 48],
  ['0,30 9-17 * * *', 18],
  ['0,0 9,9 * * *', 1],
  ['broken', 0],
])('%j runs %d times a day', (cron, count) => {
  expect(runsPerDay(cron)).toBe(count)
})
