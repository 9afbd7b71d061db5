/** A missing requirement that the user must install. The message has the instructions. */
export class SetupError extends Error {
  name = 'SetupError'
}
