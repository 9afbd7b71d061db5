/** The lines of a program that make a client of this server. */
export function newClient(): string {
  return `import { Bowline } from 'bowline'

// BOWLINE_BASE_URL is ${location.origin}, and BOWLINE_API_KEY a key.
const bowline = new Bowline()`
}
