/** Sets or removes environment variables of this process. Disposing restores them. */
export function setEnvironment(variables: Readonly<Record<string, string | undefined>>): Disposable {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  assign(Object.entries(variables))
  return { [Symbol.dispose]: () => assign(before) }
}

function assign(variables: readonly (readonly [string, string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
