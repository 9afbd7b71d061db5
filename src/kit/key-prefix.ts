const prefixLength = 7

/**
 * Returns the prefix of an API key, which is stored and shown in plain text: `bl-`
 * and 4 characters.
 */
export function keyPrefix(apiKey: string): string {
  return apiKey.slice(0, prefixLength)
}
