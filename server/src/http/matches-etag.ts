/** Whether the client has the version with this ETag, by its `If-None-Match`. */
export function matchesEtag(tags: string | undefined, etag: string): boolean {
  return tags?.split(',').some((tag) => tag.trim() === etag || tag.trim() === '*') === true
}
