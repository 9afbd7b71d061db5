const assetExtension = /\.(?:jpe?g|png|gif|webp|avif|svg|ico|css|m?js|gz|zip|tar|mp[34]|webm|woff2?|ttf|exe|dmg)$/i

/** Returns whether a URL is that of an image, style sheet, script or archive. */
export function isAsset({ pathname }: URL): boolean {
  return assetExtension.test(pathname)
}
