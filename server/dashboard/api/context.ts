import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Account } from './account.ts'
import type { Api } from './api.ts'

/** Provides the account to all components. */
export const AccountContext = createContext<Account | undefined>(undefined)

/** The signed-in account. Throws an Error without one. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (account === undefined) throw new Error('Not signed in')
  return account
}

/** The API client of the signed-in account. */
export function useApi(): Api {
  return useAccount().api
}
