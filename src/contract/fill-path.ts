import type { ApiVersion, RoutePath } from './paths.ts'

type Paths = Omit<RoutePath, 'method'>

/** Names of the `{name}` parameters of a path. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never

/**
 * Returns a path with values in place of its parameters. `encode` receives a value, empty if it is
 * missing, and the name of its parameter. Default: percent-encoding.
 */
export function fillPath<Path extends string>(
  path: Path,
  params: { readonly [Name in PathParams<Path>]: string | number },
  encode: (value: string, name: string) => string = encodeURIComponent,
): string {
  const values: Readonly<Record<string, string | number | undefined>> = params
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(String(values[name] ?? ''), name))
}

/** A path under which a route is available. */
export interface RouteAddress {
  readonly path: string
  readonly version: ApiVersion
  /** Whether the route has this path in addition to its main one. */
  readonly isAlias: boolean
}

/** Lists the paths of a route: the main path, its aliases, and those of API v1. */
export function addressesOf({ path, version = 'v2', aliases = [], v1Paths = [] }: Paths): readonly RouteAddress[] {
  return [
    { path, version, isAlias: false },
    ...aliases.map((alias) => ({ path: alias, version, isAlias: true })),
    ...v1Paths.map((v1Path) => ({ path: v1Path, version: 'v1' as const, isAlias: true })),
  ]
}

/** Returns the path of a route in a version of the API, or its main path if it has no other. */
export function pathIn({ path, v1Paths = [] }: Paths, version: ApiVersion): string {
  return version === 'v1' ? (v1Paths[0] ?? path) : path
}
