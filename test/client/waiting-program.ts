/** Program that waits in the queue of a full server. Started by tests. @module */
import { Bowline } from '../../src/index.ts'

const bowline = new Bowline({ reaper: false })
await bowline.sessions.create({ wait: 60 }, { onQueued: () => console.log('queued') })
