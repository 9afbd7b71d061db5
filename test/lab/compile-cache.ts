import { fileURLToPath } from 'node:url'

/** Starting from source costs a third less when another process has stripped and compiled it before. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url))
