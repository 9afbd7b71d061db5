import { mapRequest, type MapOptions } from '../../../src/contract/map.ts'
import { openEgress } from '../../src/egress/egress.ts'
import { mapSite, type SiteMap } from '../../src/map/map-site.ts'
import { htmlDocument, type Page, type Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

/** A site to map, reachable at its own address and under any host name that ends in `.test`. */
export interface MapFixture extends AsyncDisposable {
  readonly site: Site
  /** Returns the URL of a path under a host name. */
  readonly named: (name: string, path: string) => string
  /** Maps a URL, or a path of the site. */
  readonly map: (url: string, options?: MapOptions, signal?: AbortSignal) => Promise<SiteMap>
  /** Returns the paths of the links of a map, or full URLs for other hosts. */
  readonly paths: (url: string, options?: MapOptions) => Promise<readonly string[]>
}

/** Serves text of any content type. */
export function textPage(body: string | Buffer, contentType = 'application/xml'): Page {
  return ({ response }) => {
    response.setHeader('content-type', contentType)
    response.end(body)
  }
}

/** Serves a page of links. */
export function linksTo(...urls: readonly string[]): Page {
  return ({ response }) => {
    response.setHeader('content-type', 'text/html')
    response.end(htmlDocument('Links', urls.map((url) => `<a href="${url}">${url}</a>`).join('')))
  }
}

/** Serves a sitemap with paths on the requested host. */
export function sitemapOf(...paths: readonly string[]): Page {
  return ({ response, url }) => {
    const urls = paths.map((path) => `<url><loc>${new URL(path, url).href.replaceAll('&', '&amp;')}</loc></url>`)
    response.end(`<?xml version="1.0"?><urlset>${urls.join('')}</urlset>`)
  }
}

/** Serves a sitemap index with paths on the requested host. */
export function indexOf(...paths: readonly string[]): Page {
  return ({ response, url }) => {
    const sitemaps = paths.map((path) => `<sitemap><loc>${new URL(path, url).href}</loc></sitemap>`)
    response.end(`<sitemapindex>${sitemaps.join('')}</sitemapindex>`)
  }
}

/** Starts a site with these additional pages, and egress that reaches it. */
export async function startMapFixture(pages: Pages): Promise<MapFixture> {
  await using undo = new AsyncDisposableStack()
  const site = undo.use(await startSite(pages))
  const egress = undo.use(
    await openEgress({
      allow: [`127.0.0.1:${site.port}`],
      resolve: async (host) => [host.endsWith('.test') ? '127.0.0.1' : host],
      log: { debug: () => {}, warn: () => {} },
    }),
  )
  const dispatcher = egress.createDispatcher()
  undo.defer(async () => dispatcher.destroy())
  const owned = undo.move()
  const map: MapFixture['map'] = async (url, options = {}, signal) =>
    mapSite(dispatcher, mapRequest.parse({ url: new URL(url, site.url('/')).href, ...options }), { signal })
  return {
    site,
    named: (name, path) => `http://${name}:${site.port}${path}`,
    map,
    paths: async (url, options) =>
      (await map(url, options)).links.map((link) => link.url.replace(new URL(url, site.url('/')).origin, '')),
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}
