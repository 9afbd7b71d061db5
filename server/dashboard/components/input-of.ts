/** The value of an input, and what it calls with another one. */
export interface Input<Value> {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** Returns the input of one property of what was entered in a form. */
export function inputOf<Entered, Name extends keyof Entered>(
  { entered, onChange }: { readonly entered: Entered; readonly onChange: (changed: Partial<Entered>) => void },
  name: Name,
): Input<Entered[Name]> {
  return { value: entered[name], onChange: (value) => onChange({ [name]: value } as unknown as Partial<Entered>) }
}
