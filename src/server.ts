/** The server, for programs that run it themselves. @module */
export { startServer, type RunningServer } from './server/app.ts'
export type { ServerOptions } from './server/config.ts'
