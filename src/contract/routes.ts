import { z } from 'zod'
import * as browser from './browser.ts'
import { bulkRoutes } from './bulk-routes.ts'
import { v1ScrapeRequest } from './v1-scrape.ts'
import * as extract from './extract.ts'
import * as files from './files.ts'
import * as keys from './keys.ts'
import * as scrape from './scrape.ts'
import * as map from './map.ts'
import { monitorRoutes } from './monitor-routes.ts'
import * as profiles from './profiles.ts'
import { recordingRoutes } from './recording-routes.ts'
import { bodyBytes, type Route } from './route.ts'
import { teamRoutes } from './team-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import * as search from './search.ts'

export type { Route } from './route.ts'

/** All routes that require an API key. */
export const routes = {
  createSession: {
    method: 'POST',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Create a browser session',
    body: browser.createSessionRequest,
    response: browser.createSessionResponse,
  },
  listSessions: {
    method: 'GET',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'List browser sessions, newest first',
    query: browser.listSessionsQuery,
    response: browser.listSessionsResponse,
  },
  getSession: {
    method: 'GET',
    path: '/v2/browser/{id}',
    aliases: ['/v2/interact/{id}'],
    summary: 'Get a browser session',
    params: browser.sessionParams,
    response: browser.getSessionResponse,
  },
  deleteSession: {
    method: 'DELETE',
    path: '/v2/browser/{id}',
    aliases: ['/v2/interact/{id}'],
    summary: 'Delete a browser session and return its bill',
    params: browser.sessionParams,
    query: browser.deleteSessionQuery,
    response: browser.deleteSessionResponse,
  },
  deleteSessionByBody: {
    method: 'DELETE',
    path: '/v2/browser',
    aliases: ['/v2/interact'],
    summary: 'Delete the browser session in the body and return its bill',
    body: browser.deleteSessionRequest,
    response: browser.deleteSessionResponse,
  },
  listFiles: {
    method: 'GET',
    path: '/v2/browser/{id}/files',
    aliases: ['/v2/interact/{id}/files'],
    summary: 'List the downloads and uploads of a session, oldest first',
    params: browser.sessionParams,
    query: files.filesQuery,
    response: files.listFilesResponse,
  },
  uploadFile: {
    method: 'POST',
    path: '/v2/browser/{id}/files',
    aliases: ['/v2/interact/{id}/files'],
    summary: 'Upload a file to a session; the response has the path for DOM.setFileInputFiles',
    params: browser.sessionParams,
    query: files.uploadFileQuery,
    response: files.uploadFileResponse,
    streams: 'request',
  },
  downloadFile: {
    method: 'GET',
    path: '/v2/browser/{id}/files/{name}',
    aliases: ['/v2/interact/{id}/files/{name}'],
    summary: 'Download a file of a session; supports `Range`',
    params: files.fileParams,
    query: files.filesQuery,
    response: z.string(),
    streams: 'response',
  },
  deleteFile: {
    method: 'DELETE',
    path: '/v2/browser/{id}/files/{name}',
    aliases: ['/v2/interact/{id}/files/{name}'],
    summary: 'Delete a file of a session; a running download is cancelled',
    params: files.fileParams,
    query: files.filesQuery,
    response: files.deleteFileResponse,
  },
  ...recordingRoutes,
  scrape: {
    method: 'POST',
    path: '/v2/scrape',
    summary: 'Scrape a page',
    body: scrape.scrapeRequest,
    maxBodyBytes: bodyBytes.options,
    response: scrape.scrapeResponse,
  },
  v1Scrape: {
    method: 'POST',
    path: '/v1/scrape',
    summary: 'Scrape a page (API v1)',
    body: v1ScrapeRequest,
    maxBodyBytes: bodyBytes.options,
    response: scrape.scrapeResponse,
  },
  getScrape: {
    method: 'GET',
    path: '/v2/scrape/{id}',
    aliases: ['/v1/scrape/{id}'],
    summary: 'Get a scrape of the last 24 hours',
    params: scrape.scrapeParams,
    response: scrape.scrapeResponse,
  },
  ...bulkRoutes,
  listProfiles: {
    method: 'GET',
    path: '/v2/browser/profiles',
    summary: 'List the profiles of the team by name',
    response: profiles.listProfilesResponse,
  },
  getProfile: {
    method: 'GET',
    path: '/v2/browser/profiles/{name}',
    summary: 'Get a profile',
    params: profiles.profileParams,
    response: profiles.profileResponse,
  },
  deleteProfile: {
    method: 'DELETE',
    path: '/v2/browser/profiles/{name}',
    summary: 'Delete a profile and all its versions',
    params: profiles.profileParams,
    response: profiles.deleteProfileResponse,
  },
  listProfileVersions: {
    method: 'GET',
    path: '/v2/browser/profiles/{name}/versions',
    summary: 'List the versions of a profile, newest first',
    params: profiles.profileParams,
    response: profiles.listVersionsResponse,
  },
  rollBackProfile: {
    method: 'POST',
    path: '/v2/browser/profiles/{name}/versions/{version}/rollback',
    summary: 'Roll back a profile to an earlier version',
    params: profiles.profileVersionParams,
    response: profiles.profileResponse,
  },
  exportStorageState: {
    method: 'GET',
    path: '/v2/browser/profiles/{name}/storage-state',
    summary:
      "Export cookies, localStorage and IndexedDB of a profile as Playwright's storageState; runs in a billed browser session",
    params: profiles.profileParams,
    response: profiles.storageStateResponse,
  },
  importStorageState: {
    method: 'PUT',
    path: '/v2/browser/profiles/{name}/storage-state',
    summary:
      "Import Playwright's storageState as a new version that replaces all other content, creating the profile if needed; runs in a billed browser session",
    params: profiles.profileParams,
    body: profiles.importStorageStateRequest,
    maxBodyBytes: bodyBytes.list,
    response: profiles.profileResponse,
  },
  createKey: {
    method: 'POST',
    path: '/v2/team/keys',
    summary: 'Create an API key (admin keys only)',
    body: keys.createKeyRequest,
    response: keys.createKeyResponse,
  },
  listKeys: {
    method: 'GET',
    path: '/v2/team/keys',
    summary: 'List the API keys of your team, or of all teams with an admin key',
    response: keys.listKeysResponse,
  },
  revokeKey: {
    method: 'DELETE',
    path: '/v2/team/keys/{id}',
    summary: 'Revoke an API key permanently and end the sessions it created (admin keys only)',
    params: z.object({ id: z.string().min(1) }),
    response: keys.revokeKeyResponse,
  },
  ...monitorRoutes,
  ...webhookRoutes,
  ...teamRoutes,
  map: {
    method: 'POST',
    path: '/v2/map',
    summary: 'List the pages of a site',
    body: map.mapRequest,
    maxBodyBytes: bodyBytes.options,
    response: map.mapResponse,
  },
  mapV1: {
    method: 'POST',
    path: '/v1/map',
    summary: 'List the pages of a site (API v1)',
    body: map.mapRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: map.mapResponseV1,
  },
  search: {
    method: 'POST',
    path: '/v2/search',
    summary: 'Search, and optionally scrape the results',
    body: search.searchRequest,
    maxBodyBytes: bodyBytes.options,
    response: search.searchResponse,
    validationMessage: 'Invalid request body',
  },
  startExtract: {
    method: 'POST',
    path: '/v2/extract',
    summary: 'Start an extraction of data from pages with a language model',
    body: extract.extractRequest,
    maxBodyBytes: bodyBytes.options,
    response: extract.startExtractResponse,
  },
  startExtractV1: {
    method: 'POST',
    path: '/v1/extract',
    summary: 'Start an extraction of data from pages with a language model (API v1)',
    body: extract.extractRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: extract.startExtractResponse,
  },
  getExtract: {
    method: 'GET',
    path: '/v2/extract/{id}',
    aliases: ['/v1/extract/{id}'],
    summary: 'Get the status and result of an extraction, until 24 hours after its end',
    params: extract.extractParams,
    response: extract.extractStatusResponse,
  },
  searchV1: {
    method: 'POST',
    path: '/v1/search',
    summary: 'Search (API v1)',
    body: search.searchRequestV1,
    maxBodyBytes: bodyBytes.options,
    response: search.searchResponseV1,
    validationMessage: 'Invalid request body',
  },
} as const satisfies Record<string, Route>

export type Routes = typeof routes
export type RouteName = keyof Routes
