import { AsyncLocalStorage } from 'node:async_hooks'
import { currentWork } from './current-work.ts'

// Ambient, because connections of undici are opened far from the request that needs them.
const storage = new AsyncLocalStorage<string>()

/** Runs a function whose name lookups count for an owner, such as a team. */
export function asLookupOwner<Result>(ownerId: string, run: () => Result): Result {
  return storage.run(ownerId, run)
}

/** Returns the owner of the lookups of the calling code. Default: the current request or task. */
export function currentLookupOwner(): string {
  return storage.getStore() ?? currentWork()?.requestId ?? 'server'
}
