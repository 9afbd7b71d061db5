/** Something the user has to do before the command can run. The message says what. */
export class SetupError extends Error {
  name = 'SetupError'
}
