import { fileURLToPath } from 'node:url'

/** Compile cache shared by test processes. Makes starting from source a third faster. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))
