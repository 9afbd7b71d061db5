/** The result of one check of the doctor. */
export interface Finding {
  readonly what: string
  /**
   * `bad`: the server cannot run, or would run browsers without isolation. `poor`: it runs with
   * limitations.
   */
  readonly state: 'good' | 'poor' | 'bad'
  readonly detail: string
}
