/** Program that runs a pool with a checkpoint until it is killed. Started by tests. @module */
import { setTimeout as delay } from 'node:timers/promises'
import { Bowline } from '../../../src/index.ts'

const [checkpoint = '', stopAt] = process.argv.slice(2)
const bowline = new Bowline()
const run = bowline.pool({ size: 1, checkpoint, budget: 5, maxUses: 100 }).run([0, 1, 2, 3, 4, 5], async (number) => {
  if (number === Number(stopAt)) await delay(60_000)
  return { square: number * number }
})
for await (const { item, result } of run) console.log(`result ${item} ${result?.square}`)
