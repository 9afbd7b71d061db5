import type { z } from 'zod'
import type { RouteName, Routes } from './routes.ts'

type Part<Name extends RouteName, Key extends 'params' | 'query' | 'body'> =
  Routes[Name] extends Record<Key, infer Schema extends z.ZodType> ? { readonly [K in Key]: z.input<Schema> } : unknown

/** Input of a route: `params`, `query` and `body` as defined by the contract. */
export type RouteInput<Name extends RouteName> = Part<Name, 'params'> & Part<Name, 'query'> & Part<Name, 'body'>

/** Response of a route. */
export type RouteOutput<Name extends RouteName> = z.output<Routes[Name]['response']>
