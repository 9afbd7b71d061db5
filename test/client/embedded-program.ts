/**
 * Program with an embedded server that ends in the way given by its argument. Started by tests.
 * @module
 */
import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Bowline } from '../../src/index.ts'

const [ending] = process.argv.slice(2)
function print(line: string): void {
  return void writeSync(1, `${line}\n`)
}

if (ending === 'start') setImmediate(() => process.kill(process.pid, 'SIGTERM'))
// With a database outside of the process the server starts in half of the time.
const { DATABASE_URL: databaseUrl } = process.env
await using bowline = await Bowline.embedded({ warm: 0, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
const outcome = await bowline.withSession(
  { onEnd: (bill) => print(`bill ${JSON.stringify(bill)}`) },
  async ({ session }) => {
    print(`open ${bowline.baseUrl} ${session.id}`)
    if (ending === 'exit') process.exit(4)
    if (ending === 'wait') await delay(60_000)
    return 'done'
  },
)
print(`resolved ${outcome.result}`)
