/** What crosses the wire: zod schemas, inferred types, and the table of routes. @module */
export * from './contract/browser.ts'
export * from './contract/failure.ts'
export * from './contract/files.ts'
export * from './contract/keys.ts'
export * from './contract/map.ts'
export * from './contract/profiles.ts'
export { routes, type Route, type RouteName, type Routes } from './contract/routes.ts'
