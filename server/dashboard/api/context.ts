import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Account } from './account.ts'
import type { Api } from './call.ts'

/** Hands the account down to whatever asks. */
export const AccountContext = createContext<Account | undefined>(undefined)

/** The account that has signed in. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (account === undefined) throw new Error('Nobody has signed in')
  return account
}

/** The API, called with the key of the account. */
export function useApi(): Api {
  return useAccount().api
}
