import { z } from 'zod'
import { agentRoutes } from './agent-routes.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { interactRoutes } from './interact-routes.ts'
import { v1ScrapeRequest } from './v1-scrape.ts'
import { extensionRoutes } from './extension-routes.ts'
import * as extract from './extract.ts'
import * as keys from './keys.ts'
import * as scrape from './scrape.ts'
import * as sessionScrape from './session-scrape.ts'
import { chooseSchema } from './choose-schema.ts'
import * as map from './map.ts'
import * as parse from './parse.ts'
import { paths, type PathName } from './paths.ts'
import { monitorRoutes } from './monitor-routes.ts'
import * as profiles from './profiles.ts'
import { recordingRoutes } from './recording-routes.ts'
import { bodyBytes, type Route } from './route.ts'
import { secretRoutes } from './secret-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { teamRoutes } from './team-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import * as search from './search.ts'

export type { Route } from './route.ts'

/** The body of a scrape. With `sessionId`, the page of a session. */
const scrapeBody = chooseSchema(
  (body) => typeof body === 'object' && body !== null && 'sessionId' in body,
  scrape.scrapeRequest,
  sessionScrape.scrapeBySessionRequest,
)

/** All routes of the API. `paths` has their methods and paths without the schemas. */
export const routes = {
  ...sessionRoutes,
  ...recordingRoutes,
  scrape: {
    ...paths.scrape,
    tag: 'Scrape',
    rateLimit: 'scrape',
    hasLargeResponse: true,
    activity: { endpoint: 'scrape', target: 'url' },
    summary: 'Scrape a page, or with `sessionId` the page of a session as it is',
    body: scrapeBody,
    maxBodyBytes: bodyBytes.options,
    response: scrape.scrapeResponse,
    canFailWith200: true,
  },
  v1Scrape: {
    ...paths.v1Scrape,
    tag: 'Version 1',
    rateLimit: 'scrape',
    hasLargeResponse: true,
    activity: { endpoint: 'scrape', target: 'url' },
    summary: 'Scrape a page (API v1)',
    body: v1ScrapeRequest,
    maxBodyBytes: bodyBytes.options,
    response: scrape.scrapeResponse,
    canFailWith200: true,
  },
  getScrape: {
    ...paths.getScrape,
    tag: 'Scrape',
    rateLimit: 'crawlStatus',
    hasLargeResponse: true,
    summary: 'Get a scrape of the last 24 hours',
    params: scrape.scrapeParams,
    response: scrape.scrapeResponse,
  },
  ...interactRoutes,
  ...agentRoutes,
  parse: {
    ...paths.parse,
    tag: 'Scrape',
    rateLimit: 'scrape',
    hasLargeResponse: true,
    summary: 'Convert an uploaded file of at most 50 MB, such as a PDF or an office document, to Markdown',
    activity: { endpoint: 'scrape', target: 'url' },
    response: scrape.scrapeResponse,
    streams: 'form',
  },
  createParseUpload: {
    ...paths.createParseUpload,
    tag: 'Scrape',
    rateLimit: 'scrape',
    summary:
      'Create a URL that receives a file without an API key within ten minutes, to parse it with its `uploadRef`',
    body: parse.parseUploadRequest,
    response: parse.parseUploadResponse,
  },
  listParseFormats: {
    ...paths.listParseFormats,
    tag: 'Scrape',
    rateLimit: 'unlimited',
    summary: 'List the file formats that `POST /v2/parse` reads',
    response: parse.parseFormatsResponse,
  },
  ...bulkRoutes,
  listProfiles: {
    ...paths.listProfiles,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary: 'List the profiles of the team by name',
    response: profiles.listProfilesResponse,
  },
  getProfile: {
    ...paths.getProfile,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary: 'Get a profile',
    params: profiles.profileParams,
    response: profiles.profileResponse,
  },
  deleteProfile: {
    ...paths.deleteProfile,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary: 'Delete a profile and all its versions',
    params: profiles.profileParams,
    response: profiles.deleteProfileResponse,
  },
  listProfileVersions: {
    ...paths.listProfileVersions,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary: 'List the versions of a profile, newest first',
    params: profiles.profileParams,
    response: profiles.listVersionsResponse,
  },
  rollBackProfile: {
    ...paths.rollBackProfile,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary: 'Roll back a profile to an earlier version',
    params: profiles.profileVersionParams,
    response: profiles.profileResponse,
  },
  exportStorageState: {
    ...paths.exportStorageState,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary:
      "Export cookies, localStorage and IndexedDB of a profile as Playwright's storageState; runs in a billed browser session",
    params: profiles.profileParams,
    response: profiles.storageStateResponse,
  },
  importStorageState: {
    ...paths.importStorageState,
    tag: 'Profiles',
    rateLimit: 'browserUse',
    summary:
      "Import Playwright's storageState as a new version that replaces all other content, creating the profile if needed; runs in a billed browser session",
    params: profiles.profileParams,
    body: profiles.importStorageStateRequest,
    maxBodyBytes: bodyBytes.list,
    response: profiles.profileResponse,
  },
  ...extensionRoutes,
  ...secretRoutes,
  createKey: {
    ...paths.createKey,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Create an API key (admin keys only)',
    body: keys.createKeyRequest,
    response: keys.createKeyResponse,
  },
  listKeys: {
    ...paths.listKeys,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'List the API keys of your team, or of all teams with an admin key',
    response: keys.listKeysResponse,
  },
  revokeKey: {
    ...paths.revokeKey,
    tag: 'Team',
    rateLimit: 'account',
    summary: 'Revoke an API key permanently and end the sessions it created (admin keys only)',
    params: z.object({ id: z.string().min(1) }),
    response: keys.revokeKeyResponse,
  },
  ...monitorRoutes,
  ...webhookRoutes,
  ...teamRoutes,
  map: {
    ...paths.map,
    tag: 'Map',
    rateLimit: 'map',
    hasLargeResponse: true,
    activity: { endpoint: 'map', target: 'url' },
    summary: 'List the pages of a site',
    body: map.mapRequest,
    maxBodyBytes: bodyBytes.options,
    response: map.mapResponse,
  },
  mapV1: {
    ...paths.mapV1,
    tag: 'Version 1',
    rateLimit: 'map',
    hasLargeResponse: true,
    activity: { endpoint: 'map', target: 'url' },
    summary: 'List the pages of a site (API v1)',
    body: map.mapRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: map.mapResponseV1,
  },
  search: {
    ...paths.search,
    tag: 'Search',
    rateLimit: 'search',
    hasLargeResponse: true,
    activity: { endpoint: 'search', target: 'query' },
    summary: 'Search, and optionally scrape the results',
    body: search.searchRequest,
    maxBodyBytes: bodyBytes.options,
    response: search.searchResponse,
    validationMessage: 'Invalid request body',
  },
  startExtract: {
    ...paths.startExtract,
    tag: 'Extract',
    rateLimit: 'extract',
    activity: { endpoint: 'extract', target: 'urls' },
    summary: 'Start an extraction of data from pages with a language model',
    body: extract.extractRequest,
    maxBodyBytes: bodyBytes.options,
    response: extract.startExtractResponse,
  },
  startExtractV1: {
    ...paths.startExtractV1,
    tag: 'Version 1',
    rateLimit: 'extract',
    activity: { endpoint: 'extract', target: 'urls' },
    summary: 'Start an extraction of data from pages with a language model (API v1)',
    body: extract.extractRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: extract.startExtractResponse,
  },
  getExtract: {
    ...paths.getExtract,
    tag: 'Extract',
    rateLimit: 'extractStatus',
    hasLargeResponse: true,
    summary: 'Get the status and result of an extraction, until 24 hours after its end',
    params: extract.extractParams,
    response: extract.extractStatusResponse,
  },
  searchV1: {
    ...paths.searchV1,
    tag: 'Version 1',
    rateLimit: 'search',
    hasLargeResponse: true,
    activity: { endpoint: 'search', target: 'query' },
    summary: 'Search (API v1)',
    body: search.searchRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: search.searchResponseV1,
    validationMessage: 'Invalid request body',
  },
} as const satisfies { readonly [Name in PathName]: Route & (typeof paths)[Name] }

export type Routes = typeof routes
export type RouteName = keyof Routes
