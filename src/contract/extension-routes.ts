import * as extensions from './extensions.ts'
import { paths } from './paths.ts'
import type { Route } from './route.ts'

/** Routes of browser extensions. */
export const extensionRoutes = {
  uploadExtension: {
    ...paths.uploadExtension,
    tag: 'Extensions',
    rateLimit: 'browserUse',
    summary: 'Upload a browser extension as a zip with `manifest.json`, of at most 20 MB',
    response: extensions.extensionResponse,
    streams: 'request',
  },
  listExtensions: {
    ...paths.listExtensions,
    tag: 'Extensions',
    rateLimit: 'browserUse',
    summary: 'List the browser extensions of the team, newest first',
    response: extensions.listExtensionsResponse,
  },
  getExtension: {
    ...paths.getExtension,
    tag: 'Extensions',
    rateLimit: 'browserUse',
    summary: 'Get a browser extension',
    params: extensions.extensionParams,
    response: extensions.extensionResponse,
  },
  deleteExtension: {
    ...paths.deleteExtension,
    tag: 'Extensions',
    rateLimit: 'browserUse',
    summary: 'Delete a browser extension; sessions that have loaded it keep it',
    params: extensions.extensionParams,
    response: extensions.deleteExtensionResponse,
  },
} as const satisfies Record<string, Route>
