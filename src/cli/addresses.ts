import { text } from 'node:stream/consumers'
import { BowlineError } from '../kit/errors.ts'

/** The addresses of a list, a line each; empty lines and those that begin with `#` are none. */
export function addressesIn(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** The arguments of a command, with the addresses on standard input in place of `-`. */
export async function readAddresses(given: readonly string[]): Promise<readonly string[]> {
  if (!given.includes('-')) return given
  const listed = addressesIn(await text(process.stdin))
  // Standard input can be read once.
  const first = given.indexOf('-')
  return given.flatMap((each, index) => (each !== '-' ? each : index === first ? listed : []))
}

/** The argument of a command that takes one address, `-` being the one on standard input. Throws BAD_REQUEST for none or several. */
export async function readAddress(given: string): Promise<string> {
  const [address, ...more] = await readAddresses([given])
  if (address !== undefined && more.length === 0) return address
  throw new BowlineError('BAD_REQUEST', `Standard input holds ${more.length === 0 ? 'no address' : 'several'}`, {
    hint: 'This command takes one address. `bowline batch -` scrapes many.',
  })
}
