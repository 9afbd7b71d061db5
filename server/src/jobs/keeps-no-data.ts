interface RetentionFields {
  readonly zeroDataRetention?: unknown
}

/** Whether a request, or the scrape options in it, asks for zero data retention. */
export function keepsNoData({
  zeroDataRetention,
  scrapeOptions,
}: RetentionFields & { readonly scrapeOptions?: RetentionFields | undefined }): boolean {
  return zeroDataRetention === true || scrapeOptions?.zeroDataRetention === true
}
