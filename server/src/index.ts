/** Starts a server from a program. @module */
export { startServer, type RunningServer } from './app.ts'
export type { ServerOptions } from './config.ts'
