/** Numbers of stored profile versions and secrets, by the id of the key that encrypts them. */
export interface EncryptedData {
  readonly versions: ReadonlyMap<string, number>
  readonly secrets: ReadonlyMap<string, number>
}

/** A current key and earlier keys. */
interface Keys {
  readonly id: string
  readonly previous?: readonly { readonly id: string }[]
}

/** Returns the part of the data that none of the keys opens. */
export function unreadableWith(keys: Keys, { versions, secrets }: EncryptedData): EncryptedData {
  const known = idsOf(keys)
  const others = (counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
    new Map([...counts].filter(([id]) => !known.has(id)))
  return { versions: others(versions), secrets: others(secrets) }
}

/** Returns the ids of the keys that the data needs in addition to those that are known. */
export function neededKeyIds(keys: Keys, data: EncryptedData): readonly string[] {
  const { versions, secrets } = unreadableWith(keys, data)
  return [...new Set([...versions.keys(), ...secrets.keys()])]
}

/** Whether none of the keys opens any of the data. */
export function opensNothing(keys: Keys, { versions, secrets }: EncryptedData): boolean {
  const known = idsOf(keys)
  return ![...versions.keys(), ...secrets.keys()].some((id) => known.has(id))
}

/** Describes data such as `2 versions of profiles and 1 secret`. `undefined`: there is none. */
export function describeCounts({ versions, secrets }: EncryptedData): string | undefined {
  const [versionCount, secretCount] = [sum(versions), sum(secrets)]
  const parts = [
    ...(versionCount === 0 ? [] : [`${versionCount} saved ${versionCount === 1 ? 'version' : 'versions'} of profiles`]),
    ...(secretCount === 0 ? [] : [`${secretCount} ${secretCount === 1 ? 'secret' : 'secrets'}`]),
  ]
  return parts.length === 0 ? undefined : parts.join(' and ')
}

function idsOf({ id, previous = [] }: Keys): ReadonlySet<string> {
  return new Set([id, ...previous.map((each) => each.id)])
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
