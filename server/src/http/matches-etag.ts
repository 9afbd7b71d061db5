/**
 * Whether the client has the version with this ETag, by its `If-None-Match`. Proxies that compress
 * responses make the ETag weak.
 */
export function matchesEtag(tags: string | undefined, etag: string): boolean {
  return tags?.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim())) === true
}
