/** A program and its arguments. */
export interface CommandLine {
  readonly file: string
  readonly args: readonly string[]
}
