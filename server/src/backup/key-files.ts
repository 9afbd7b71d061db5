import { profileKeyName } from '../profiles/profile-key.ts'

/** Files of the data directory with keys and the identity of the server. */
export const keyFiles: readonly string[] = ['api-key', profileKeyName, 'node-id']
