/** Host and port that a connection goes to. */
export interface HostPort {
  /** Host name or IP address, without brackets. */
  readonly host: string
  readonly port: number
}

/** Ports of URLs without one. */
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 }

/** Returns where a connection for a URL goes to. */
export function hostPortOf({ hostname, port, protocol }: URL): HostPort {
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || defaultPorts[protocol]) }
}
