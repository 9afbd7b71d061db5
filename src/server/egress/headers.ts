/** Headers that are meant for the next hop alone (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  // What it announces is not passed on.
  'trailer',
  'upgrade',
])

/** The raw headers (name, value, name, …) without those meant for the next hop and those that `Connection` names. */
export const endToEndHeaders = (raw: readonly string[]): string[] => {
  const pairs = pairsOf(raw)
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()))
  // Whatever `Connection` says, how a body is framed must stay as it is.
  const dropped = new Set([
    ...hopByHop,
    ...named.filter((name) => !/^(content-length|transfer-encoding|host)$/.test(name)),
  ])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}

const pairsOf = (raw: readonly string[]): (readonly [name: string, value: string])[] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []))
