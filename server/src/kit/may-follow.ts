/**
 * Whether a page may lead to a URL, by a redirect or a script. `isFrame`: whether a frame of the
 * page loads it, instead of the page itself. Default: false.
 */
export type MayFollow = (url: URL, isFrame?: boolean) => boolean
