/** Removes the user name and the password from a URL. Other texts stay as they are. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1')
}
