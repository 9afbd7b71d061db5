/** The server, for programs that run it themselves. @module */
export { startServer, type RunningServer } from './app.ts'
export type { ServerOptions } from './config.ts'
