/** A program that creates a session, prints its progress, and waits to be killed. @module */
import { writeSync } from 'node:fs'
import { Bowline } from '../../src/index.ts'

const [sessionDir] = process.argv.slice(2)
const bowline = new Bowline({ sessionDir })
const creating = bowline.sessions.create({ ttl: 600 })
writeSync(1, 'creating\n')
const session = await creating
writeSync(1, `created ${session.id}\n`)
setInterval(() => undefined, 1000)
