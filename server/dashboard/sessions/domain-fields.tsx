import { Field } from '../components/field.tsx'

/** Domains of a session as entered. */
export interface EnteredDomains {
  /** Hosts separated by spaces, commas or line breaks. */
  readonly allowed: string
  readonly blocked: string
}

interface DomainFieldsProps {
  readonly domains: EnteredDomains
  readonly onChange: (domains: EnteredDomains) => void
}

/** Inputs for the hosts to which a session may connect. */
export function DomainFields({ domains, onChange }: DomainFieldsProps) {
  return (
    <>
      <Field label="Allowed domains" hint="Only these hosts can be reached. Use *.shop.example for subdomains.">
        <input
          value={domains.allowed}
          placeholder="all"
          onInput={(event) => onChange({ ...domains, allowed: event.currentTarget.value })}
        />
      </Field>
      <Field label="Blocked domains" hint="Takes precedence over allowed domains.">
        <input
          value={domains.blocked}
          placeholder="none"
          onInput={(event) => onChange({ ...domains, blocked: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}

/** Reads the domains as session options. */
export function readDomains({ allowed, blocked }: EnteredDomains) {
  const [allowedDomains, blockedDomains] = [allowed, blocked].map((text) => text.split(/[\s,]+/).filter(Boolean))
  return {
    ...(allowedDomains?.length ? { allowedDomains } : {}),
    ...(blockedDomains?.length ? { blockedDomains } : {}),
  }
}
