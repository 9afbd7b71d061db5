/** Fails the whole job with this message. Its remaining pages are not scraped. */
export class FatalJobError extends Error {}
