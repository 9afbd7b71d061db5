/** Host and port that a connection goes to. */
export interface HostPort {
  /** Host name or IP address, without brackets. */
  readonly host: string
  readonly port: number
}
